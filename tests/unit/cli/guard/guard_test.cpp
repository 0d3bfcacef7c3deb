// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/guard.hpp"

#include "cli/guard/process_folder.hpp"
#include "posix/descriptors.hpp"
#include "posix/spawn.hpp"

#include "eventually.hpp"
#include "folder.hpp"
#include "limits.hpp"
#include "processes/test_cgroup.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/sockios.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

const std::string mark = "DOCENT_TEST_MARK=" + std::to_string(::getpid());

std::vector<pid_t> find_processes_marked(const std::string& entry) {
    const ProcessFolder folder;
    std::vector<pid_t> found;
    const auto table = folder.read_table();
    EXPECT_TRUE(table);
    if (!table) return found;
    for (const ProcessEntry& process : *table) {
        if (!process.ended && folder.has_in_environment(process, entry) == true) found.push_back(process.pid);
    }
    return found;
}

/// Finds the guard: the child of this process that is the parent of a marked process. Returns 0 if there is none.
pid_t find_guard() {
    const ProcessFolder folder;
    pid_t guard = 0;
    test::eventually([&] { // a program that is in an exec has no environment
        for (const pid_t marked : find_processes_marked(mark)) {
            const auto process = ProcessHandle(folder, marked).look();
            const auto parent = process ? ProcessHandle(folder, process->parent).look() : std::nullopt;
            if (parent && parent->parent == ::getpid()) guard = process->parent;
        }
        return guard != 0;
    });
    return guard;
}

int start(Guard& guard, BootClock::duration held_for = 1h, BootClock::duration grace = 0s) {
    return guard.start(BootClock::now() + held_for, grace, {mark, "DOCENT_TEST_VARIABLE=theirs"});
}

int wait_status(Guard& guard) {
    EXPECT_TRUE(test::eventually([&] { return guard.poll_ended().has_value(); }));
    return guard.poll_ended().value_or(-1);
}

/// Starts the program with a bound that soon passes. Tries again if this process stood still until the bound had passed.
std::unique_ptr<Guard> started_with_a_short_bound(const std::vector<std::string>& program) {
    for (;;) {
        auto guard = std::make_unique<Guard>(program);
        const int error = start(*guard, 2s, 1h);
        if (error != too_late) {
            EXPECT_EQ(error, 0);
            return guard;
        }
        wait_status(*guard);
    }
}

bool killed_by(int status, int signal) {
    return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

TEST(Guard, KnowsHowTheProgramEndedThoughWeWereStartedWithSigchldIgnored) {
    ::signal(SIGCHLD, SIG_IGN);
    Guard guard({"sh", "-c", "exit 3"});
    EXPECT_EQ(start(guard), 0);
    EXPECT_EQ(WEXITSTATUS(wait_status(guard)), 3);
    ::signal(SIGCHLD, SIG_DFL);
}

/// A reader of a pipe waits until all writers have closed it. A guard that kept a descriptor would delay the reader.
TEST(Guard, KeepsNoDescriptorOfItsParent) {
    const test::Folder folder;
    const posix::UniqueFd low(::open((folder / "ours").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const posix::UniqueFd high(::fcntl(low.get(), F_DUPFD_CLOEXEC, 200));
    ASSERT_TRUE(low && high);
    Guard guard({"sleep", "1000"});
    EXPECT_EQ(start(guard), 0);
    const pid_t itself = find_guard();
    ASSERT_GT(itself, 0);
    for (const auto& descriptor : std::filesystem::directory_iterator("/proc/" + std::to_string(itself) + "/fd")) {
        EXPECT_NE(std::filesystem::read_symlink(descriptor), folder / "ours");
    }
}

TEST(Guard, TheProgramIsKilledWithItsGuard) {
    Guard guard({"sleep", "1000"});
    EXPECT_EQ(start(guard), 0);
    const pid_t itself = find_guard();
    ASSERT_GT(itself, 0);
    ::kill(itself, SIGKILL);
    EXPECT_TRUE(killed_by(wait_status(guard), SIGKILL));
    EXPECT_TRUE(guard.lost());
}

/// Ends the child, and collects orphans: if an earlier test has made this process adopt them, they are its children.
void end_child(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
}

/// A background job of a shell stays a child of docent if the shell ran `exec docent`. Docent then adopts no orphans: when the
/// guard ends, another process becomes the parent of the program.
TEST(Guard, WithAChildFromBeforeTheEndOfTheProgramIsKnownAlsoAfterTheGuardWasKilled) {
    const posix::Spawned child = posix::spawn_detached(posix::ProgramImage({"sleep", "1000"}), {});
    {
        Guard guard({"sleep", "1000"});
        EXPECT_EQ(start(guard), 0);
        const pid_t itself = find_guard();
        EXPECT_GT(itself, 0);
        if (itself > 0) ::kill(itself, SIGKILL);
        EXPECT_TRUE(killed_by(wait_status(guard), SIGKILL));
        EXPECT_TRUE(guard.lost());
    }
    EXPECT_EQ(::waitpid(child.pid, nullptr, WNOHANG), 0) << "it is no part of the program";
    end_child(child.pid);
}

/// This process has a child from before, so it adopts no orphans. Without guard and cgroup, only the search for the mark finds
/// them.
TEST(Guard, WithAChildFromBeforeWhatTheProgramHasStartedIsKilledAlsoAfterTheGuardWasKilled) {
    const std::string before = test::cgroup_of(::getpid());
    const std::string own = test::make_test_cgroup(); // not delegated, so the guard makes no cgroup in it
    ASSERT_TRUE(own.empty() || test::move_to_cgroup(::getpid(), own));
    const posix::Spawned child = posix::spawn_detached(posix::ProgramImage({"sleep", "1000"}), {});
    {
        Guard guard({"sh", "-c", "sleep 1000 & exec sleep 1001"});
        EXPECT_EQ(start(guard), 0);
        EXPECT_TRUE(test::eventually([] { return find_processes_marked(mark).size() == 2; }));
        const pid_t itself = find_guard();
        EXPECT_GT(itself, 0);
        if (itself > 0) ::kill(itself, SIGKILL);
        EXPECT_TRUE(killed_by(wait_status(guard), SIGKILL));
        EXPECT_TRUE(guard.lost());
        guard.kill_all();
        EXPECT_TRUE(test::eventually([&] { return guard.look() == Left::nothing; }));
    }
    const auto left = find_processes_marked(mark);
    EXPECT_TRUE(left.empty());
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    end_child(child.pid);
    EXPECT_TRUE(own.empty() || (test::move_to_cgroup(::getpid(), before) && test::remove_test_cgroup(own)));
}

/// The next guard would take a child that remains for a child that this process had before it.
TEST(Guard, LeavesNoChildrenAfterItWasKilled) {
    ASSERT_FALSE(has_children());
    {
        Guard guard({"sh", "-c", "sleep 1000 & exec sleep 1001"});
        EXPECT_EQ(start(guard), 0);
        EXPECT_TRUE(test::eventually([] { return find_processes_marked(mark).size() == 2; }));
        const pid_t itself = find_guard();
        ASSERT_GT(itself, 0);
        ::kill(itself, SIGKILL);
        EXPECT_TRUE(killed_by(wait_status(guard), SIGKILL));
        EXPECT_TRUE(guard.lost());
        guard.kill_all();
        EXPECT_TRUE(test::eventually([&] { return guard.look() == Left::nothing; }));
    }
    EXPECT_FALSE(has_children());
}

TEST(Guard, TheProgramSeesTheNewVariables) {
    ::setenv("DOCENT_TEST_VARIABLE", "ours", 1);
    Guard guard({"sh", "-c", R"([ "$DOCENT_TEST_VARIABLE" = theirs ] && [ -n "$PATH" ] && ! env | grep -q =ours)"});
    ::unsetenv("DOCENT_TEST_VARIABLE");
    EXPECT_EQ(start(guard), 0);
    EXPECT_EQ(WEXITSTATUS(wait_status(guard)), 0);
}

TEST(Guard, TheProgramIsInOurSessionAndProcessGroup) {
    const auto id = [](pid_t number) { return std::to_string(number); };
    Guard guard({"sh", "-c",
                 "set -- $(cut -d' ' -f5,6 /proc/$$/stat); [ \"$*\" = '" + id(::getpgrp()) + " " + id(::getsid(0)) + "' ]"});
    EXPECT_EQ(start(guard), 0);
    EXPECT_EQ(WEXITSTATUS(wait_status(guard)), 0);
}

TEST(Guard, TellsWhyTheProgramCannotBeExecuted) {
    const auto start_error = [](const std::string& program) {
        Guard guard({program});
        return start(guard);
    };
    EXPECT_EQ(start_error("/no/such/program"), ENOENT);
    EXPECT_EQ(start_error("no-such-program-in-path"), ENOENT);
    EXPECT_EQ(start_error("/"), EACCES);
}

TEST(Guard, AProgramThatIsTooLateIsNotStarted) {
    const test::Folder folder;
    Guard guard({"touch", folder / "started"}, SIGWINCH); // end signal: the program would ignore it
    EXPECT_EQ(start(guard, -1ms, 1h), too_late);
    wait_status(guard);
    EXPECT_FALSE(std::filesystem::exists(folder / "started"));
}

TEST(Guard, PassesSignalsOn) {
    Guard guard({"sleep", "1000"});
    EXPECT_EQ(start(guard), 0);
    guard.send(SIGTERM);
    EXPECT_TRUE(killed_by(wait_status(guard), SIGTERM));
    guard.send(SIGTERM); // sends nothing: the number may belong to another process
}

TEST(Guard, TheProgramHasTheMaskThatWeHad) {
    sigset_t mask;
    ::sigemptyset(&mask);
    ::sigaddset(&mask, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &mask, nullptr);
    Guard guard({"sh", "-c", "kill -TERM $$; kill -HUP $$; exit 5"});
    ::pthread_sigmask(SIG_UNBLOCK, &mask, nullptr);
    EXPECT_EQ(start(guard), 0);
    EXPECT_TRUE(killed_by(wait_status(guard), SIGHUP));
}

TEST(Guard, AsksTheProgramToEndWhenTheBoundPasses) {
    const auto guard = started_with_a_short_bound({"sleep", "1000"});
    EXPECT_TRUE(killed_by(wait_status(*guard), SIGTERM));
    EXPECT_TRUE(guard->bound_passed());
}

TEST(Guard, WakesAStoppedProgramSoThatItCanEndWhenTheBoundPasses) {
    const auto guard = started_with_a_short_bound({"sleep", "1000"});
    guard->send(SIGSTOP);
    EXPECT_TRUE(killed_by(wait_status(*guard), SIGTERM));
}

/// This process may be stopped after it has asked the program to end. So the guard kills the program.
TEST(Guard, KillsAProgramThatWasAskedToEndWhenItsGraceIsOver) {
    Guard guard({"sleep", "1000"}, SIGWINCH); // end signal: the program ignores it
    EXPECT_EQ(start(guard, 1h, 1h), 0);
    guard.ask_to_end(BootClock::now() + 200ms);
    EXPECT_TRUE(killed_by(wait_status(guard), SIGKILL));
    EXPECT_FALSE(guard.bound_passed());
}

TEST(Guard, WaitsAsLongAsTheBoundIsExtended) {
    Guard guard({"sleep", "1000"});
    EXPECT_EQ(start(guard, 30s), 0);
    const auto end = BootClock::now() + 100ms;
    while (BootClock::now() < end) guard.extend(BootClock::now() + 60s);
    EXPECT_EQ(guard.poll_ended(), std::nullopt);
    EXPECT_FALSE(guard.bound_passed());
}

TEST(Guard, KillsAllThatTheProgramHasStartedWhenItIsGivenUp) {
    {
        Guard guard({"sh", "-c", "sleep 1000 & sleep 1001; :"});
        EXPECT_EQ(start(guard), 0);
        ASSERT_TRUE(test::eventually([&] { return find_processes_marked(mark).size() == 3; }));
        EXPECT_TRUE(find_processes_marked(mark + "0").empty()); // the whole entry must match
    }
    EXPECT_TRUE(find_processes_marked(mark).empty());
}

TEST(Guard, LeavesProcessesIfTold) {
    {
        Guard guard({"sh", "-c", "sleep 1000 > /dev/null 2>&1 &"});
        EXPECT_EQ(start(guard), 0);
        EXPECT_EQ(WEXITSTATUS(wait_status(guard)), 0);
        EXPECT_EQ(guard.look(), Left::something);
        guard.stand_down();
    }
    std::vector<pid_t> left;
    ASSERT_TRUE(test::eventually([&] { return (left = find_processes_marked(mark)).size() == 1; }));
    ::kill(left.front(), SIGKILL);
    EXPECT_TRUE(test::eventually([] { return find_processes_marked(mark).empty(); }));
}

/// A guard that is stopped does not read its orders.
TEST(Guard, LeavesProcessesIfToldWhileItsSocketIsFull) {
    {
        Guard guard({"sh", "-c", "sleep 1000 > /dev/null 2>&1 &"}, SIGWINCH); // end signal: ignored
        EXPECT_EQ(start(guard), 0);
        EXPECT_EQ(WEXITSTATUS(wait_status(guard)), 0);
        const pid_t itself = find_guard();
        ASSERT_GT(itself, 0);
        constexpr int smallest = 0; // the kernel raises it to its minimum
        ::setsockopt(guard.fd(), SOL_SOCKET, SO_SNDBUF, &smallest, sizeof smallest);
        ::kill(itself, SIGSTOP);
        ::waitpid(itself, nullptr, WUNTRACED);
        const auto unread = [&] {
            int bytes = 0;
            ::ioctl(guard.fd(), SIOCOUTQ, &bytes);
            return bytes;
        };
        int before = -1;
        while (std::exchange(before, unread()) != unread()) guard.ask_to_end(BootClock::now() + 1h);
        guard.stand_down();
    }
    std::vector<pid_t> left;
    ASSERT_TRUE(test::eventually([&] { return (left = find_processes_marked(mark)).size() == 1; }));
    ::kill(left.front(), SIGKILL);
    EXPECT_TRUE(test::eventually([] { return find_processes_marked(mark).empty(); }));
}

TEST(Guard, WithoutDescriptorsThereIsNone) {
    const auto before = test::open_descriptors();
    for (rlim_t more = 0; more < 7;
         ++more) { // this process needs four; the guard needs two more once it has closed its copies of ours
        const test::DescriptorLimit limit(more);
        try {
            Guard guard({"true"});
            EXPECT_GE(more, 4u);
            EXPECT_EQ(start(guard), 0) << "one that is there works: " << more;
            EXPECT_EQ(wait_status(guard), 0) << more;
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), std::errc::too_many_files_open) << e.what();
        }
    }
    EXPECT_EQ(test::open_descriptors(), before);
}

} // namespace
} // namespace docent::cli
