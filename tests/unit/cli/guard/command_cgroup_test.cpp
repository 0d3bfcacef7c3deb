// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/command_cgroup.hpp"

#include "eventually.hpp"
#include "posix/spawn.hpp"
#include "processes/test_cgroup.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::cli {
namespace {

const std::string hybrid = "30 22 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
                           "36 30 0:33 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n"
                           "40 30 0:37 / /sys/fs/cgroup/unified rw,relatime shared:7 master:2 - cgroup2 cgroup2 rw\n";

TEST(FindCgroup, OfVersion2IsFoundBesideOthers) {
    const std::string own = "6:freezer:/a\n0::/system.slice/job.service\n";
    EXPECT_EQ(find_cgroup(hybrid, own), (CgroupPlace{"/sys/fs/cgroup/unified/system.slice/job.service", false}));
    EXPECT_EQ(find_cgroup(hybrid, "0::/\n"), (CgroupPlace{"/sys/fs/cgroup/unified", true}));
}

TEST(FindCgroup, IsNothingWithoutVersion2) {
    EXPECT_EQ(find_cgroup(hybrid, "6:freezer:/a\n"), std::nullopt);
    EXPECT_EQ(find_cgroup("36 30 0:33 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n", "0::/\n"), std::nullopt);
    EXPECT_EQ(find_cgroup("", ""), std::nullopt);
    EXPECT_EQ(find_cgroup("40 30 0:37 /\n40 -\n - cgroup2\n", "0::/\n"), std::nullopt);
}

TEST(FindCgroup, APartOfTheHierarchyIsMounted) {
    const auto mounted = [](const std::string& root) { return "40 30 0:37 " + root + " /cg rw - cgroup2 cgroup2 rw\n"; };
    EXPECT_EQ(find_cgroup(mounted("/docker/1f"), "0::/docker/1f/job\n"), (CgroupPlace{"/cg/job", false}));
    EXPECT_EQ(find_cgroup(mounted("/docker/1f"), "0::/docker/1f\n"), (CgroupPlace{"/cg", false}));
    EXPECT_EQ(find_cgroup(mounted("/docker/1f"), "0::/docker/1f0\n"), std::nullopt);
    EXPECT_EQ(find_cgroup(mounted("/"), "0::/../other\n"), std::nullopt) << "we were moved out of our namespace";
    EXPECT_EQ(find_cgroup(mounted("/.."), "0::/\n"), std::nullopt) << "mounted before the namespace was made";
}

TEST(FindCgroup, AMountPointMayHaveASpace) {
    EXPECT_EQ(find_cgroup("40 30 0:37 / /my\\040groups rw - cgroup2 cgroup2 rw\n", "0::/a\n"),
              (CgroupPlace{"/my groups/a", false}));
}

/// Tests in a cgroup that is delegated to this process.
class CommandCgroupTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (outer.empty()) return test::skip_without_cgroup();
        test::delegate_cgroup(outer);
        ASSERT_TRUE(test::move_to_cgroup(::getpid(), outer));
        cgroup = CommandCgroup::make(processes);
        ASSERT_TRUE(cgroup);
    }
    void TearDown() override {
        if (outer.empty()) return;
        cgroup.reset();
        EXPECT_TRUE(test::move_to_cgroup(::getpid(), before));
        EXPECT_TRUE(test::remove_test_cgroup(outer)) << "something is left in " << outer;
    }

    pid_t start(const std::string& script) const {
        return posix::fork_child([&](const sigset_t& mask) {
            cgroup->enter();
            posix::ProgramImage({"sh", "-c", script}).execute(mask);
        });
    }

    const std::string before = test::cgroup_of(::getpid());
    const std::string outer = test::make_test_cgroup();
    const ProcessFolder processes;
    std::unique_ptr<CommandCgroup> cgroup;
};

TEST_F(CommandCgroupTest, KillsProcessesThatForkAndLeaveTheirSession) {
    EXPECT_FALSE(cgroup->is_populated());
    const pid_t child = start("trap '' TERM; setsid sleep 1000 & setsid sleep 1001 & wait");
    ASSERT_TRUE(test::eventually([&] { return cgroup->members().size() == 3; }));
    EXPECT_TRUE(cgroup->is_populated());
    const std::string folder = test::cgroup_of(child);
    EXPECT_EQ(std::filesystem::path(folder).parent_path(), outer);
    cgroup->kill();
    EXPECT_TRUE(test::eventually([&] { return !cgroup->is_populated(); }));
    cgroup.reset();
    EXPECT_FALSE(std::filesystem::exists(folder));
    ::waitpid(child, nullptr, 0);
}

TEST_F(CommandCgroupTest, ProcessesThatAreLeftGoOnInTheOuterCgroup) {
    const pid_t child = start("exec sleep 1000");
    ASSERT_TRUE(test::eventually([&] { return cgroup->is_populated(); }));
    const std::string folder = test::cgroup_of(child);
    cgroup.reset();
    EXPECT_FALSE(std::filesystem::exists(folder));
    EXPECT_EQ(test::cgroup_of(child), outer);
    EXPECT_EQ(::kill(child, SIGKILL), 0);
    ::waitpid(child, nullptr, 0);
}

TEST_F(CommandCgroupTest, AnotherOneInItGoesWithIt) {
    const pid_t child = posix::fork_child([&](const sigset_t& mask) {
        cgroup->enter();
        const auto inner =
            CommandCgroup::make(ProcessFolder()).release(); // inside `cgroup`, which is delegated; not removed here
        if (inner == nullptr) ::_exit(1);
        inner->enter();
        posix::ProgramImage({"sleep", "1000"}).execute(mask);
    });
    ASSERT_TRUE(test::eventually([&] {
        return cgroup->members().size() == 1 &&
               test::cgroup_of(child).find("/docent-") != test::cgroup_of(child).rfind("/docent-");
    }));
    const auto folder = std::filesystem::path(test::cgroup_of(child)).parent_path();
    EXPECT_TRUE(cgroup->is_populated());
    cgroup->kill();
    ::waitpid(child, nullptr, 0);
    cgroup.reset();
    EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(CommandCgroupTest, IsRemovedByAnotherProcessIfItIsLeft) {
    const pid_t other = posix::fork_child([&](const sigset_t&) {
        cgroup->enter();
        ::raise(SIGSTOP);
        cgroup->remove();
        ::_exit(0);
    });
    int status = 0;
    ::waitpid(other, &status, WUNTRACED);
    const std::string folder = test::cgroup_of(other);
    cgroup->leave();
    cgroup.reset();
    EXPECT_TRUE(std::filesystem::exists(folder));
    ::kill(other, SIGCONT);
    ::waitpid(other, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(std::filesystem::exists(folder));
}

/// A process that is no descendant of the guard and has the mark in its environment.
TEST(HeldProcesses, AreKnownByTheirEnvironmentToo) {
    const std::string mark = "DOCENT_TEST_HELD=" + std::to_string(::getpid());
    const posix::Spawned spawned = posix::spawn_detached(posix::ProgramImage({"sleep", "1000"}, {mark}), {});
    ASSERT_EQ(spawned.error, 0);
    const auto folder = std::make_shared<ProcessFolder>();
    ASSERT_TRUE(test::eventually([&] { // a program that is in an exec has no environment
        return HeldProcesses(folder, nullptr, spawned.pid, ::getpid(), mark).send({0}) == 1u;
    }));
    const HeldProcesses others(folder, nullptr, spawned.pid, ::getpid(), mark + "0");
    EXPECT_EQ(others.send({0}), 0u) << "the whole entry counts";
    const HeldProcesses held(folder, nullptr, spawned.pid, ::getpid(), mark);
    EXPECT_FALSE(held.any_in_family());
    EXPECT_EQ(held.send({SIGTERM}, std::nullopt), 1u);
    EXPECT_EQ(held.searched(), 0) << "no process holds up the search";
    ::kill(spawned.pid, SIGKILL); // the process ends even if SIGTERM was not sent
    ::waitpid(spawned.pid, nullptr, 0);
    EXPECT_EQ(held.send({0}), 0u);
}

/// docent starts the shell of `--on-lost` while a search for processes may be held up. The search must not signal this shell.
TEST(HeldProcesses, AChildThatIsStartedWhenTheyAreLeftIsNotSignalled) {
    const HeldProcesses held(std::make_shared<ProcessFolder>(), nullptr, ::getpid(), ::getpid(), "DOCENT_TEST_HELD=none");
    auto family = held.send_to_family({0}, std::nullopt);
    ASSERT_TRUE(family);
    held.leave();
    const posix::Spawned child = posix::spawn_detached(posix::ProgramImage({"sleep", "1000"}, {}), {});
    ASSERT_EQ(child.error, 0);
    EXPECT_EQ(held.send_to_others({SIGKILL}, std::move(*family)), std::nullopt);
    EXPECT_EQ(held.send_to_family({SIGKILL}, std::nullopt), std::nullopt);
    EXPECT_EQ(::waitpid(child.pid, nullptr, WNOHANG), 0) << "the child runs";
    ::kill(child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
}

} // namespace
} // namespace docent::cli
