// SPDX-License-Identifier: Apache-2.0

// docent lock while nobody can read the environment of a process, or the list of all processes (locked_memory.cpp). The search
// for the command's processes then takes until the test unlocks the memory.

#include "cli_fixture.hpp"
#include "posix/descriptors.hpp"

#include <filesystem>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

namespace docent::test {
namespace {

class LockedMemory : public CliTest {
protected:
    LockedMemory() { ::flock(lock_file_.get(), LOCK_EX); }

    /// A command that ignores SIGTERM and starts another program.
    Words with_a_child() const {
        return goes_on(ignores_term + std::string("sleep 1000 & ") + write("$!", "child") + write("$DOCENT_LOCK_NODE", "node"));
    }
    /// The same docent, but nobody can read the environment of a process.
    Setting held_up(Setting wanted) const {
        wanted.words.insert(wanted.words.begin(),
                            {"LD_PRELOAD=" DOCENT_LOCKED_MEMORY, "DOCENT_TEST_LOCKED_MEMORY=" + file("locked"), DOCENT_BINARY});
        wanted.program = "/usr/bin/env";
        return wanted;
    }
    bool holds_up_a_search() const { return appears("locked"); }
    void unlock() { lock_file_.reset(); }

    /// Both programs are killed after the loss, while the search is held up.
    void expect_killed(const Setting& soon_lost) {
        DocentProcess holder(soon_lost);
        ASSERT_TRUE(appears("pid"));
        server.kill();
        expect_both_end();
        EXPECT_EQ(holder.exit_status(), 76);
    }
    void expect_killed_while_docent_is_stopped(const Setting& soon_lost) {
        DocentProcess holder(soon_lost);
        ASSERT_TRUE(appears("pid"));
        const pid_t guard = parent_of(pid_in("pid"));
        holder.send(SIGSTOP);
        expect_both_end();
        holder.send(SIGCONT);
        EXPECT_EQ(holder.exit_status(), 76);
        EXPECT_TRUE(ends(guard));
    }

private:
    void expect_both_end() {
        EXPECT_TRUE(ends(pid_in("pid")));
        EXPECT_TRUE(ends(pid_in("child")));
        EXPECT_TRUE(holds_up_a_search());
        unlock();
    }

    posix::UniqueFd lock_file_{::open(file("locked").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
};

/// The kernel lists the children of each process, so docent finds CMD's descendants without a list of all processes.
class ListsOfChildren : public LockedMemory {
protected:
    void SetUp() override {
        if (!std::filesystem::exists("/proc/thread-self/children")) GTEST_SKIP() << "a kernel without CONFIG_PROC_CHILDREN";
        LockedMemory::SetUp();
    }
    /// The same docent, but nobody can list the processes. The directory /proc of a machine with many processes is slow to
    /// read.
    Setting without_list(Setting wanted) const {
        wanted = held_up(std::move(wanted));
        wanted.words.insert(wanted.words.begin(), "DOCENT_TEST_LOCKED_LIST=1");
        return wanted;
    }
};

TEST_F(LockedMemory, ACommandAndItsChildAreKilledInTime) {
    expect_killed(held_up(lock_soon_lost(with_a_child())));
}

TEST_F(LockedMemory, ACommandAndItsChildAreKilledInTimeWhileDocentIsStopped) {
    expect_killed_while_docent_is_stopped(held_up(lock_soon_lost(with_a_child())));
}

TEST_F(ListsOfChildren, ACommandAndItsChildAreKilledBeforeAllProcessesAreListed) {
    expect_killed(without_list(lock_soon_lost(with_a_child())));
}

TEST_F(ListsOfChildren, ACommandAndItsChildAreKilledBeforeAllProcessesAreListedWhileDocentIsStopped) {
    expect_killed_while_docent_is_stopped(without_list(lock_soon_lost(with_a_child())));
}

TEST_F(ListsOfChildren, AGuardThatGetsNoMemoryKillsACommandAndItsChild) {
    unlock();
    DocentProcess holder(held_up(lock(with_a_child())));
    ASSERT_TRUE(appears("pid"));
    const pid_t guard = parent_of(pid_in("pid"));
    rlimit before{};
    ASSERT_EQ(::prlimit(guard, RLIMIT_AS, nullptr, &before), 0);
    const rlimit nothing{1, before.rlim_max};
    ASSERT_EQ(::prlimit(guard, RLIMIT_AS, &nothing, nullptr), 0);
    holder.send(SIGKILL);
    EXPECT_TRUE(ends(pid_in("pid")));
    EXPECT_TRUE(ends(pid_in("child")));
    ::prlimit(guard, RLIMIT_AS, &before, nullptr); // for its search for other processes
    EXPECT_TRUE(ends(guard));
}

TEST_F(ListsOfChildren, ALossIsReportedBeforeAllProcessesAreListed) {
    DocentProcess holder(without_list(lock(goes_on("trap '" + write("term", "got") + "' TERM; "), {"--grace", "1000s"})));
    ASSERT_TRUE(appears("pid"));
    observer.remove(first_node());
    ASSERT_TRUE(holds_up_a_search());
    EXPECT_TRUE(appears("got"));
    EXPECT_TRUE(says(holder, "the lock was lost: its node was deleted; stopping the command")) << holder.errors();
    ::kill(pid_in("pid"), SIGKILL);
    unlock();
    EXPECT_EQ(holder.exit_status(), 76);
}

/// docent lists the processes when it asks the command to end, and again when the command has ended.
TEST_F(ListsOfChildren, ProcessesAreNotListedWhileTheCommandTakesItsTimeToEnd) {
    unlock();
    const std::string script =
        write("$$", "pid") + "left=-1; trap 'left=50' TERM; " + "until [ $left = 0 ]; do sleep 0.02; left=$((left - 1)); done";
    DocentProcess holder(without_list(lock({"sh", "-c", script}, {"--max-hold", "2s", "--grace", "1000s"})));
    EXPECT_EQ(holder.exit_status(), 124);
    const auto lists = read_file(folder / "locked").size();
    EXPECT_GE(lists, 2U);
    EXPECT_LE(lists, 4U);
}

/// `other` is no descendant of docent, so only the search can find it. It ignores SIGTERM, as CMD does: a guard that has asked
/// for the end before, since docent was slow, sends SIGTERM first.
TEST_F(LockedMemory, AfterMaxHoldTheLockIsGivenBackAndTheGuardGoesOnWithTheSearch) {
    DocentProcess holder(held_up(lock(with_a_child(), {"--max-hold", "4s", "--grace", "200ms"})));
    ASSERT_TRUE(appears("pid"));
    const pid_t guard = parent_of(pid_in("pid"));
    const std::string node = read_file(folder / "node");
    DocentProcess other(
        {.words = {"--ignore-signal=TERM", "DOCENT_LOCK_NODE=" + node.substr(0, node.find('\n')), "sleep", "1000"},
         .program = "/usr/bin/env"});
    EXPECT_EQ(holder.exit_status(), 124);
    EXPECT_TRUE(holds_up_a_search());
    EXPECT_TRUE(nodes().empty());
    EXPECT_FALSE(is_alive(pid_in("pid")) || is_alive(pid_in("child")));
    EXPECT_NE(messages(holder).find("seems to hold up the search"), std::string::npos) << holder.errors();
    EXPECT_TRUE(other.running());
    unlock();
    EXPECT_EQ(other.exit_status(), 128 + SIGKILL);
    EXPECT_TRUE(ends(guard));
}

/// --max-hold asks the command to end with SIGUSR1, which it ignores.
TEST_F(LockedMemory, AfterMaxHoldASignalToDocentStillEndsTheCommandAndDocent) {
    DocentProcess holder(
        held_up(lock(goes_on("trap '' USR1; "), {"--max-hold", "4s", "--grace", "1000s", "--signal", "USR1"})));
    ASSERT_TRUE(appears("pid"));
    ASSERT_TRUE(says(holder, "--max-hold is over") && holds_up_a_search());
    EXPECT_TRUE(is_alive(pid_in("pid")));
    holder.send(SIGTERM);
    EXPECT_TRUE(ends(pid_in("pid")));
    EXPECT_EQ(holder.exit_status(), 124);
    EXPECT_TRUE(nodes().empty());
    unlock();
}

} // namespace
} // namespace docent::test
