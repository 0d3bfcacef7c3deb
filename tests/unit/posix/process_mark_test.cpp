// SPDX-License-Identifier: Apache-2.0
#include "posix/process_mark.hpp"

#include "posix/spawn.hpp"

#include <docent/detail/process_owned.hpp>

#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <memory>

namespace docent::posix {
namespace {

/// Returns true if the child exits with 0.
bool succeeds(pid_t child) {
    int status = -1;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ProcessMark, NamesTheProcessThatHasMadeIt) {
    const ProcessMark mark;
    const auto parent = this_process();
    EXPECT_TRUE(mark.is_here());
    EXPECT_TRUE(succeeds(fork_child([&](const sigset_t&) {
        const ProcessMark of_child;
        const bool differ = !mark.is_here() && of_child.is_here() && this_process() != parent && this_process() != 0;
        const pid_t grandchild = fork_child(
            [&](const sigset_t&) { ::_exit(!mark.is_here() && !of_child.is_here() && this_process() != parent ? 0 : 1); });
        ::_exit(differ && succeeds(grandchild) ? 0 : 1);
    })));
    EXPECT_TRUE(mark.is_here());
    EXPECT_EQ(this_process(), parent);
}

/// The child of a program's own clone() and of glibc's _Fork(): no handler of pthread_atfork() runs.
TEST(ProcessMark, SeesAChildThatWasMadeWithoutTheLibrary) {
    const ProcessMark mark;
    const auto child = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (child == 0) ::_exit(mark.is_here() ? 1 : 0);
    EXPECT_TRUE(succeeds(child));
    EXPECT_TRUE(mark.is_here());
}

TEST(ProcessOwned, IsDestroyedOnlyByTheProcessThatHasMadeIt) {
    struct Counts {
        explicit Counts(int& count) : destroyed(count) {}
        ~Counts() { ++destroyed; }
        int& destroyed;
    };
    int destroyed = 0;
    auto object = std::make_unique<docent::detail::ProcessOwned<Counts>>(std::make_shared<Counts>(destroyed));
    EXPECT_TRUE(succeeds(fork_child([&](const sigset_t&) {
        object.reset();
        ::_exit(destroyed);
    })));
    object.reset();
    EXPECT_EQ(destroyed, 1);
}

} // namespace
} // namespace docent::posix
