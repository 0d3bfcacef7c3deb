// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/command_cgroup.hpp"

#include "posix/spawn.hpp"

#include <gtest/gtest.h>

#include <string>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::cli {
namespace {

/// A process that is no descendant of the guard and has the mark in its environment.
TEST(HeldProcesses, AreKnownByTheirEnvironmentToo) {
    const std::string mark = "DOCENT_TEST_HELD=" + std::to_string(::getpid());
    const posix::Spawned spawned = posix::spawn_detached(posix::ProgramImage({"sleep", "1000"}, {mark}), {});
    ASSERT_EQ(spawned.error, 0);
    const ProcessFolder folder;
    const HeldProcesses others(folder, nullptr, spawned.pid, ::getpid(), mark + "0");
    EXPECT_FALSE(others.any()) << "the whole entry counts";
    const HeldProcesses held(folder, nullptr, spawned.pid, ::getpid(), mark);
    EXPECT_TRUE(held.any());
    EXPECT_EQ(held.send({SIGTERM}, std::nullopt), 1u);
    ::kill(spawned.pid, SIGKILL); // the process ends even if SIGTERM was not sent
    ::waitpid(spawned.pid, nullptr, 0);
    EXPECT_FALSE(held.any());
}

} // namespace
} // namespace docent::cli
