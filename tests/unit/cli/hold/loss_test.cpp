// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/loss.hpp"

#include "posix/descriptors.hpp"

#include "eventually.hpp"
#include "folder.hpp"
#include "unit/recipes/lease/lease_fixture.hpp"

#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <sys/wait.h>

namespace docent::cli {
namespace {

void lose_node(LossListener& listener, error_code ec) {
    listener.on_lease({.event = LeaseEvent::lost, .ec = ec});
}

TEST(LossReason, IsThatOfTheLease) {
    const std::pair<error_code, LossReason> all[] = {{server_error::no_node, LossReason::node_deleted},
                                                     {server_error::session_expired, LossReason::session_ended},
                                                     {server_error::auth_failed, LossReason::session_ended},
                                                     {error::not_connected, LossReason::no_answer}};
    for (const auto& [ec, reason] : all) {
        LossListener listener;
        lose_node(listener, ec);
        EXPECT_EQ(listener.reason(), reason) << ec.message();
    }
}

TEST(LossReason, OfSeveralLeasesTheFirstOneCounts) {
    LossListener listener;
    lose_node(listener, error::not_connected);
    lose_node(listener, server_error::session_expired);
    EXPECT_EQ(listener.reason(), LossReason::no_answer);
}

TEST(LossReason, ForgetsLossesFromBeforeTheGrant) {
    LossListener listener;
    lose_node(listener, server_error::session_expired);
    listener.on_lease({.event = LeaseEvent::granted});
    lose_node(listener, server_error::no_node);
    EXPECT_EQ(listener.reason(), LossReason::node_deleted);
}

TEST(LossReason, AParentThatMayNotBeMadeIsSaidWithTheError) {
    LossListener listener;
    EXPECT_EQ(listener.obstacle(), "");
    const std::string message = make_error_code(server_error::no_auth).message();
    listener.on_warning("the parent /a is missing and cannot be made: " + message);
    EXPECT_EQ(listener.obstacle(), ": the parent /a is missing and cannot be made");
}

TEST(LossReason, IsNotMadeUp) {
    EXPECT_EQ(loss_text(LossListener().reason()), "");
    EXPECT_EQ(loss_text(LossReason::no_answer), ": nothing was heard from a server in time");
    EXPECT_EQ(to_string(LossReason::session_ended), "session_ended");
}

/// Runs the command of `--on-lost` for a lease of a fake ensemble.
class LossCommandTest : public detail::LeaseTest {
protected:
    std::string file(const std::string& name) const { return (folder / name).string(); }

    const test::Folder folder;
};

/// If docent runs inside the command of another docent, that docent has set this variable to mark the processes of its command.
TEST_F(LossCommandTest, SeesTheNodeThatIsLostAndNoneInWhichDocentRuns) {
    const HoldRequest request{.path = "/lock",
                              .on_lost = "echo $DOCENT_LOST_PATH $DOCENT_LOST_NODE $DOCENT_LOST_REASON "
                                         "${DOCENT_LOCK_NODE-none} >" +
                                         file("seen") + "; mv " + file("seen") + " " + file("told")};
    const HeldLeases held{.leases = {std::make_shared<Lease>(std::move(lease))}};
    LossListener losses;
    losses.on_lease({.event = LeaseEvent::lost, .ec = server_error::no_node});
    const HoldWords words;
    const Hold hold{request, words, losses};
    ::setenv("DOCENT_LOCK_NODE", "/outer/lock-0000000000", 1);
    LossCommand(hold, held).start();
    ::unsetenv("DOCENT_LOCK_NODE");
    EXPECT_TRUE(test::eventually([&] { return std::filesystem::exists(file("told")); }));
    EXPECT_EQ(posix::read_file(file("told")), "/lock " + held.leases.front()->node_path() + " node_deleted none\n");
    ::wait(nullptr);
}

} // namespace
} // namespace docent::cli
