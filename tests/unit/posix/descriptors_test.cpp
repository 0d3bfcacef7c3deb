// SPDX-License-Identifier: Apache-2.0
#include "folder.hpp"
#include "posix/descriptors.hpp"
#include "posix/spawn.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::posix {
namespace {

/// From now on, close_range(2) is forbidden in this process, as by the filters of old container engines. Returns whether this
/// is possible here.
bool forbid_close_range() {
    std::array<sock_filter, 4> filter{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
                                       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Opens two descriptors, marks all from the first one on, and then closes them. Returns 0 if nothing else has changed.
int close_two() {
    const int first = ::open("/dev/null", O_RDONLY);
    const int second = ::fcntl(first, F_DUPFD, first + 100);
    const auto from = static_cast<unsigned>(first);
    const int below = ::fcntl(STDERR_FILENO, F_GETFD);
    close_descriptors(from, ~0U, CLOSE_RANGE_CLOEXEC);
    if (::fcntl(first, F_GETFD) != FD_CLOEXEC || ::fcntl(second, F_GETFD) != FD_CLOEXEC) return 1;
    close_descriptors(from, from, 0);
    if (::fcntl(first, F_GETFD) != -1 || ::fcntl(second, F_GETFD) == -1) return 2;
    close_descriptors(from, ~0U, 0);
    return ::fcntl(second, F_GETFD) == -1 && ::fcntl(STDERR_FILENO, F_GETFD) == below ? 0 : 3;
}

TEST(CloseDescriptors, AlsoWhereCloseRangeIsForbidden) {
    constexpr int impossible = 99;
    for (const bool forbidden : {false, true}) {
        const pid_t child = fork_child([forbidden](const sigset_t&) {
            if (forbidden && !forbid_close_range()) ::_exit(impossible);
            ::_exit(close_two());
        });
        int status = 0;
        ::waitpid(child, &status, 0);
        if (WEXITSTATUS(status) == impossible) GTEST_SKIP() << "needs seccomp";
        EXPECT_EQ(status, 0) << forbidden;
    }
}

TEST(ReadFile, GivesAllOfIt) {
    const test::Folder folder;
    const std::string name = folder / "file";
    const std::string text(10000, '\0');
    std::ofstream(name, std::ios::binary) << text << "end\n";
    EXPECT_EQ(read_file(name), text + "end\n");
    std::filesystem::remove(name);
    EXPECT_EQ(read_file(name), std::nullopt);
    EXPECT_EQ(errno, ENOENT);
}

TEST(ReadFile, ThatCannotBeReadIsNothing) {
    EXPECT_EQ(read_file("/"), std::nullopt);
    EXPECT_EQ(errno, EISDIR);
    EXPECT_EQ(read_file("/proc/self/mem"), std::nullopt) << "like that of a process that ends while it is read";
    EXPECT_EQ(errno, EIO);
}

} // namespace
} // namespace docent::posix
