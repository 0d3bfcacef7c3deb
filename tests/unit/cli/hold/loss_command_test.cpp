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
    const HeldLeases held{.leases = {std::make_shared<Lease>(std::move(lease))}, .give_back = nullptr};
    LossListener losses;
    losses.on_lease({.event = LeaseEvent::lost, .ec = server_error::no_node});
    ::setenv("DOCENT_LOCK_NODE", "/outer/lock-0000000000", 1);
    LossCommand(request, held, losses).start();
    ::unsetenv("DOCENT_LOCK_NODE");
    EXPECT_TRUE(test::eventually([&] { return std::filesystem::exists(file("told")); }));
    EXPECT_EQ(posix::read_file(file("told")), "/lock " + held.leases.front()->node_path() + " node_deleted none\n");
    ::wait(nullptr);
}

} // namespace
} // namespace docent::cli
