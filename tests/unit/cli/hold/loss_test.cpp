// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/loss.hpp"

#include "cli/messages.hpp"
#include "posix/descriptors.hpp"

#include "eventually.hpp"
#include "folder.hpp"
#include "unit/recipes/lease/lease_fixture.hpp"

#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <signal.h>
#include <sys/wait.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

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
    EXPECT_EQ(words_of(LossListener().reason(0ms)).for_messages, "");
    EXPECT_EQ(words_of(LossReason::no_answer).for_messages, ": nothing was heard from a server in time");
    EXPECT_EQ(words_of(LossReason::session_ended).for_scripts, "session_ended");
}

/// Runs the command of `--on-lost` for a lease of a fake ensemble.
class LossCommandTest : public detail::LeaseTest {
protected:
    void SetUp() override {
        LeaseTest::SetUp();
        held.leases.push_back(std::make_shared<Lease>(std::move(lease)));
        lose_node(losses, server_error::no_node);
    }
    std::string file(const std::string& name) const { return (folder / name).string(); }

    const test::Folder folder;
    HeldLeases held;
    LossListener losses;
    const HoldWords words{};
    Signals signals{SIGTERM};
};

/// If docent runs inside the command of another docent, DOCENT_LOCK_NODE marks the processes of the outer command. The command
/// of `--on-lost` must not have this mark: the outer docent would end it.
TEST_F(LossCommandTest, SeesTheNodeThatIsLostAndNoneInWhichDocentRuns) {
    const HoldRequest request{.path = "/lock",
                              .on_lost = "echo $DOCENT_LOST_PATH $DOCENT_LOST_NODE $DOCENT_LOST_REASON "
                                         "${DOCENT_LOCK_NODE-none} >" +
                                         file("seen") + "; mv " + file("seen") + " " + file("told")};
    const Hold hold{request, words, losses};
    ::setenv("DOCENT_LOCK_NODE", "/outer/lock-0000000000", 1);
    LossCommand command(hold);
    command.start(held);
    ::unsetenv("DOCENT_LOCK_NODE");
    command.await_end(signals, 1h);
    EXPECT_EQ(posix::read_file(file("told")), "/lock " + held.leases.front()->node_path() + " node_deleted none\n");
}

TEST_F(LossCommandTest, IsNotWaitedForLongerThanAllowed) {
    const HoldRequest request{.path = "/lock", .on_lost = "echo $$ >" + file("pid") + "; exec sleep 1000"};
    const Hold hold{request, words, losses};
    LossCommand command(hold);
    command.start(held);
    ASSERT_TRUE(test::eventually([&] { return posix::read_file(file("pid")).value_or("").ends_with('\n'); }));
    ::testing::internal::CaptureStderr();
    command.await_end(signals, 1ms);
    flush_errors();
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "docent: lock /lock: the command of --on-lost still runs; not waiting after 1ms\n");
    const pid_t process = std::stoi(*posix::read_file(file("pid")));
    EXPECT_EQ(::waitpid(process, nullptr, WNOHANG), 0) << "it goes on";
    ::kill(process, SIGKILL);
    command.await_end(signals, 1h);
    EXPECT_EQ(::waitpid(process, nullptr, WNOHANG), -1) << "it is not collected";
}

} // namespace
} // namespace docent::cli
