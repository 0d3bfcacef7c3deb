// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/process_folder.hpp"

#include "eventually.hpp"
#include "limits.hpp"
#include "posix/spawn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::cli {
namespace {

std::string stat_text(const std::string& begin, int threads = 1) {
    return begin + " 17 4 0 -1 4194560 99 0 0 0 1 2 3 4 20 0 " + std::to_string(threads) + " 0 12345 5 6\n";
}

TEST(ProcessStat, IsParsed) {
    EXPECT_EQ(parse_process_stat(stat_text("17 (cat) S 4")), (ProcessEntry{17, 4, false, false, 12345}));
    EXPECT_EQ(parse_process_stat(stat_text("17 (cat) Z 4")), (ProcessEntry{17, 4, true, false, 12345}));
}

TEST(ProcessStat, AProcessWhoseFirstThreadHasEndedIsAlive) {
    EXPECT_EQ(parse_process_stat(stat_text("17 (cat) Z 4", 2)), (ProcessEntry{17, 4, false, true, 12345}));
}

TEST(ProcessStat, ANameMayBeAnything) {
    EXPECT_EQ(parse_process_stat(stat_text("17 (a) Z 1 (b) (S) R 4")), (ProcessEntry{17, 4, false, false, 12345}));
    EXPECT_EQ(parse_process_stat(stat_text("17 () S 9) S 4")), (ProcessEntry{17, 4, false, false, 12345}));
}

TEST(ProcessStat, OfAProcessThatHasJustGoneIsNothing) {
    for (const auto* text :
         {"", "17", "17 (cat", "17 (cat) ", "17 (cat) S", "17 (cat) S x 1", "x (cat) S 4 1", "17 (cat) S 4 1"}) {
        EXPECT_EQ(parse_process_stat(text), std::nullopt) << text;
    }
}

TEST(OwnStatus, ShowsOnlyTheProcessesNumber) {
    EXPECT_TRUE(is_own_status("Name:\tdocent\nPid:\t17\nNSpid:\t17\nNSsid:\t1\n", 17));
    EXPECT_TRUE(is_own_status("Name:\tdocent\nPid:\t17\n", 17)) << "a kernel without PID namespaces";
}

TEST(OwnStatus, OfAnotherNamespaceShowsAnotherNumberOrSeveral) {
    EXPECT_FALSE(is_own_status("Pid:\t4017\nNSpid:\t4017\t17\n", 17));
    EXPECT_FALSE(is_own_status("Pid:\t17\nNSpid:\t17\t17\n", 17)) << "the same number by chance";
    EXPECT_FALSE(is_own_status("Pid:\t18\n", 17));
    EXPECT_FALSE(is_own_status("", 17));
}

TEST(ProcessFolder, HasUsAndOurParent) {
    const auto table = ProcessFolder().read_table();
    ASSERT_TRUE(table);
    EXPECT_TRUE(std::any_of(table->begin(), table->end(), [](const ProcessEntry& entry) {
        return entry.pid == ::getpid() && entry.parent == ::getppid() && !entry.ended && entry.start_time > 0;
    }));
}

TEST(ProcessFolder, WithoutDescriptorsTheTableIsUnknownNotEmpty) {
    const ProcessFolder folder;
    const test::DescriptorLimit limit;
    EXPECT_FALSE(folder.read_table());
    EXPECT_FALSE(folder.read_descendants(::getpid()));
    EXPECT_FALSE(folder.has_in_environment({::getpid()}, "A=B"));
}

/// From now on, each open in this process fails because the kernel has no memory. Returns whether this is possible here.
bool let_opens_lack_memory() {
    std::array<sock_filter, 4> filter{
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(ProcessFolder, WithoutMemoryInTheKernelTheTableIsUnknownNotEmpty) {
    constexpr int impossible = 99;
    const pid_t child = posix::fork_child([](const sigset_t&) {
        const ProcessFolder folder;
        const auto self = ProcessHandle(folder, ::getpid()).look();
        if (!let_opens_lack_memory()) ::_exit(impossible);
        const bool is_unknown = !folder.read_table() && !folder.read_descendants(::getpid()) &&
                                !folder.has_in_environment(*self, "A=B") && send_signal(folder, *self, 0);
        ::_exit(is_unknown ? 0 : 1);
    });
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == impossible) GTEST_SKIP() << "needs seccomp";
    EXPECT_EQ(status, 0);
}

/// Runs `body` in a new mount namespace, so that no other process sees what it mounts at /proc. Returns its exit status, or -1
/// if this user may not make such a namespace.
template <typename Body> int in_mount_namespace(const Body& body) {
    constexpr int no_namespace = 99;
    const pid_t child = posix::fork_child([&](const sigset_t&) {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/proc", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            ::_exit(no_namespace);
        ::_exit(body());
    });
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status) == no_namespace ? -1 : WEXITSTATUS(status);
}

TEST(ProcessFolder, AnEmptyProcIsRefused) {
    const int status = in_mount_namespace([] {
        if (::mount("none", "/proc", "tmpfs", 0, nullptr) != 0) return 3;
        try {
            const ProcessFolder folder;
        } catch (const std::runtime_error& error) {
            return std::string(error.what()).find("mount -t proc proc /proc") == std::string::npos ? 2 : 0;
        }
        return 1;
    });
    EXPECT_TRUE(status == 0 || (status == -1 && ::geteuid() != 0)) << status;
}

/// In a new PID namespace as a user without rights, with a /proc that hides what this user may not trace: finds a child that
/// may not be traced, ends it, and does not take it for a running process before it is collected. Returns 0 if all succeed, and
/// 3 if this is not possible here.
int find_and_end_a_hidden_child() {
    constexpr unsigned nobody = 65534;
    const posix::UniqueFd own(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    if (!own || ::mount("proc", "/proc", "proc", 0, "hidepid=2") != 0) return 3;
    const pid_t child = posix::fork_child([](const sigset_t&) {
        if (::setresuid(nobody, 0, nobody) != 0) return; // this user may signal it, and may not trace it
        for (;;) ::pause();
    });
    if (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0) return 3;
    ::prctl(PR_SET_DUMPABLE, 1); // setuid() has cleared the flag
    const ProcessFolder folder;
    if (!test::eventually([&] { return !ProcessHandle(folder, child) && ::kill(child, 0) == 0; })) return 3;
    const auto family = folder.read_descendants(::getpid());
    if (!family || family->size() != 1 || family->front().pid != child) return 1;
    if (!send_signal(folder, family->front(), SIGKILL)) return 2;
    const auto is_over = [&] {
        return folder.read_descendants(::getpid())->empty() && !send_signal(folder, family->front(), 0);
    };
    if (!test::eventually(is_over)) return 4;
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 0 : 5;
}

TEST(ProcessFolder, FindsAndEndsAChildThatHidepidHides) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const int status = in_mount_namespace([] {
        if (::unshare(CLONE_NEWPID) != 0) return 3; // before Linux 5.8, hidepid is for all of the PID namespace
        const pid_t first = posix::fork_child([](const sigset_t&) { ::_exit(find_and_end_a_hidden_child()); });
        int ended = 0;
        ::waitpid(first, &ended, 0);
        return WEXITSTATUS(ended);
    });
    if (status == 3 || status == -1) GTEST_SKIP() << "needs to mount /proc";
    EXPECT_EQ(status, 0);
}

TEST(ProcessFolder, ALaterMountOverProcHasNoEffect) {
    const int status = in_mount_namespace([] {
        const ProcessFolder folder;
        if (::mount("none", "/proc", "tmpfs", 0, nullptr) != 0) return 3;
        const auto table = folder.read_table();
        return table && table->size() > 1 ? 0 : 1;
    });
    EXPECT_TRUE(status == 0 || (status == -1 && ::geteuid() != 0)) << status;
}

/// A child process that runs until it is killed.
class Child {
public:
    template <typename Body> explicit Child(const Body& body) : pid_(posix::fork_child([&](const sigset_t&) { body(); })) {}
    ~Child() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    pid_t pid() const { return pid_; }

private:
    pid_t pid_;
};

TEST(SendSignal, ReachesTheProcessThatWasSeenAndNoOther) {
    const ProcessFolder folder;
    const Child child([] {
        for (;;) ::pause();
    });
    const auto seen = ProcessHandle(folder, child.pid()).look();
    ASSERT_TRUE(seen);
    ProcessEntry before = *seen;
    --before.start_time;
    EXPECT_FALSE(send_signal(folder, before, SIGKILL)) << "the number belonged to another process then";
    EXPECT_FALSE(ProcessHandle(folder, child.pid()).look()->ended);
    EXPECT_TRUE(send_signal(folder, *seen, SIGKILL));
    EXPECT_TRUE(test::eventually([&] { return ProcessHandle(folder, child.pid()).look()->ended; }));
    EXPECT_FALSE(send_signal(folder, *seen, 0)) << "it has ended, though nobody has asked how";
}

TEST(SendSignal, WithoutDescriptorsTheProcessCountsAsThere) {
    const ProcessFolder folder;
    const auto self = ProcessHandle(folder, ::getpid()).look();
    ASSERT_TRUE(self);
    for (const rlim_t more : {0U, 1U}) {
        const test::DescriptorLimit limit(more);
        EXPECT_TRUE(send_signal(folder, *self, 0)) << more;
    }
}

TEST(ProcessHandle, OfAnUnusedNumberIsNone) {
    EXPECT_FALSE(ProcessHandle(ProcessFolder(), 0x7fffffff));
}

/// Another process may have the number of the ended process by now.
TEST(ProcessHandle, OutlivesItsProcessAndSignalsNoOther) {
    const ProcessFolder folder;
    std::optional<ProcessHandle> handle;
    {
        const Child child([] {
            for (;;) ::pause();
        });
        handle.emplace(folder, child.pid());
        EXPECT_TRUE(handle->send(0));
    }
    EXPECT_FALSE(handle->send(0));
    EXPECT_FALSE(handle->look());
}

constexpr const char* entry_name = "DOCENT_TEST_ENTRY";

void* sleep_for_ever(void*) {
    for (;;) ::pause();
}

/// If this program is started with the entry in its environment, its first thread ends before main() and another thread runs
/// for ever.
[[maybe_unused]] const bool first_thread_ends = [] {
    pthread_t other;
    if (!::getenv(entry_name) || ::pthread_create(&other, nullptr, &sleep_for_ever, nullptr) != 0) return false;
    ::syscall(SYS_exit, 0); // ends this thread only
    return true;
}();

/// /proc/PID/environ of such a process is empty. The environment of its other threads is still there.
TEST(ProcessFolder, FindsTheEnvironmentOfAProcessWhoseFirstThreadHasEnded) {
    const ProcessFolder folder;
    ::setenv(entry_name, "here",
             1); // only the environment that a process was started with counts, so a program has to be started
    const Child child([] {
        const posix::ProgramImage program({"/proc/self/exe"});
        sigset_t none;
        ::sigemptyset(&none);
        program.execute(none);
    });
    ::unsetenv(entry_name);
    ASSERT_TRUE(test::eventually([&] {
        const auto now = ProcessHandle(folder, child.pid()).look();
        return now && now->leaderless;
    }));
    const auto entry = ProcessHandle(folder, child.pid()).look();
    EXPECT_FALSE(entry->ended);
    EXPECT_EQ(folder.has_in_environment(*entry, "DOCENT_TEST_ENTRY=here"), true);
    EXPECT_EQ(folder.has_in_environment(*entry, "DOCENT_TEST_ENTRY=her"), false) << "the whole entry counts";
}

/// During an exec, /proc/PID/environ is empty for a moment.
TEST(ProcessFolder, FindsTheEnvironmentOfAProcessThatExecutesOneProgramAfterAnother) {
    const ProcessFolder folder;
    const std::string entry = "DOCENT_TEST_EXEC=here";
    const std::string script = R"([ "$1" = 0 ] || exec sh -c "$0" "$0" $(($1 - 1)))";
    const posix::Spawned chain = posix::spawn_detached(posix::ProgramImage({"sh", "-c", script, script, "500"}, {entry}), {});
    const ProcessHandle handle(folder, chain.pid);
    int missed = 0;
    int last_missed = 0; // since the entry was last found: the process may be ending
    for (auto now = handle.look(); now && !now->ended; now = handle.look()) {
        const auto began = std::chrono::steady_clock::now();
        const bool found = folder.has_in_environment(*now, entry) == true;
        const bool has_waited = std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(100);
        if (found) missed += std::exchange(last_missed, 0);
        else if (!has_waited) ++last_missed; // on a busy machine, an exec may take longer than the wait
    }
    EXPECT_EQ(missed, 0);
    EXPECT_EQ(::waitpid(chain.pid, nullptr, 0), chain.pid);
}

/// Starts a process that ends with this thread, also if this thread ends before the process has begun.
template <typename Body> void start_process(const Body& body) {
    posix::fork_child([self = ::getpid(), &body](const sigset_t&) {
        posix::die_with(self);
        body();
        sleep_for_ever(nullptr);
    });
}

/// Starts a process that starts another one. Both end with this thread.
void* start_two_processes(void*) {
    start_process([] { start_process([] {}); });
    return sleep_for_ever(nullptr);
}

TEST(ProcessFolder, FindsTheDescendantsOfEachThread) {
    const ProcessFolder folder;
    const Child child([] {
        pthread_t other;
        if (::pthread_create(&other, nullptr, &start_two_processes, nullptr) == 0) sleep_for_ever(nullptr);
    });
    ASSERT_TRUE(test::eventually([&] { return folder.read_descendants(child.pid()).value().size() == 2; }));
    EXPECT_EQ(folder.read_descendants(child.pid()), find_descendants(child.pid(), folder.read_table().value()));
}

std::vector<pid_t> numbers_of_descendants(pid_t root, const std::vector<ProcessEntry>& table) {
    std::vector<pid_t> numbers;
    for (const ProcessEntry& each : find_descendants(root, table)) numbers.push_back(each.pid);
    return numbers;
}

TEST(ProcessTree, HasChildrenAndGrandchildren) {
    const std::vector<ProcessEntry> table{{1, 0}, {5, 20}, {10, 1}, {20, 10}, {30, 1}, {40, 30}};
    EXPECT_EQ(numbers_of_descendants(10, table), (std::vector<pid_t>{20, 5}));
    EXPECT_EQ(numbers_of_descendants(40, table), (std::vector<pid_t>{}));
    EXPECT_EQ(numbers_of_descendants(99, table), (std::vector<pid_t>{}));
}

TEST(ProcessTree, EndedProcessesDoNotCount) {
    EXPECT_EQ(numbers_of_descendants(10, {{10, 1}, {20, 10, true}, {21, 10}}), (std::vector<pid_t>{21}));
}

/// The kernel may reuse process numbers while the table is read.
TEST(ProcessTree, ACycleEnds) {
    EXPECT_EQ(numbers_of_descendants(10, {{10, 20}, {20, 10}, {21, 22}, {22, 21}}), (std::vector<pid_t>{20}));
    EXPECT_EQ(numbers_of_descendants(10, {{20, 10}, {20, 20}}), (std::vector<pid_t>{20, 20}));
}

} // namespace
} // namespace docent::cli
