// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.hpp"

#include "eventually.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::cli {
namespace {

TEST(Signals, AreReadInsteadOfInterrupting) {
    Signals signals{SIGTERM, SIGHUP};
    EXPECT_EQ(signals.next(), std::nullopt);
    ::raise(SIGTERM);
    EXPECT_EQ(signals.next(), (ReceivedSignal{SIGTERM, false}));
    EXPECT_EQ(signals.next(), std::nullopt);
}

TEST(Signals, RestoreTheMask) {
    sigset_t mask;
    {
        const Signals signals{SIGTERM};
        ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        EXPECT_TRUE(::sigismember(&mask, SIGTERM));
    }
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_FALSE(::sigismember(&mask, SIGTERM));
}

TEST(Signals, SignalsThatNohupIgnoresStayIgnored) {
    ::signal(SIGHUP, SIG_IGN);
    {
        Signals signals{SIGHUP, SIGTERM};
        ::raise(SIGHUP);
        EXPECT_EQ(signals.next(), std::nullopt);
    }
    ::signal(SIGHUP, SIG_DFL);
}

TEST(SignalsBetween, KeepASignalForTheNextSignals) {
    const SignalsBetween between;
    ::raise(SIGTERM);
    {
        Signals signals{SIGTERM, SIGHUP};
        EXPECT_EQ(signals.next_to_end(), SIGTERM);
        EXPECT_EQ(signals.next_to_end(), std::nullopt);
        ::raise(SIGHUP); // this Signals object does not read it
    }
    Signals signals{SIGTERM, SIGHUP};
    EXPECT_EQ(signals.next_to_end(), SIGHUP);
}

bool has(const std::vector<int>& numbers, int number) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

TEST(SignalsForCommands, AreAllThatCanBeCaughtButThoseForDocentAlone) {
    const auto numbers = signals_for_commands();
    for (const int number :
         {SIGTERM, SIGINT, SIGHUP,  SIGQUIT, SIGUSR1,   SIGUSR2, SIGALRM,  SIGVTALRM, SIGPROF, SIGPIPE,  SIGABRT,
          SIGIO,   SIGPWR, SIGXCPU, SIGXFSZ, SIGSTKFLT, SIGURG,  SIGWINCH, SIGTSTP,   SIGCONT, SIGRTMIN, SIGRTMAX}) {
        EXPECT_TRUE(has(numbers, number)) << number;
    }
    for (const int number : {SIGKILL, SIGSTOP, SIGCHLD, SIGTTIN, SIGTTOU, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
        EXPECT_FALSE(has(numbers, number)) << number;
    }
    EXPECT_FALSE(has(numbers, SIGRTMIN - 1)) << "the C library's own";
}

constexpr pid_t other = 5;
constexpr pid_t self = 7;

TEST(ReceivedSignal, FromAProcessIsForTheCommand) {
    for (const int number : {SIGTERM, SIGUSR1, SIGWINCH, SIGTSTP, SIGCONT, SIGPIPE, SIGXCPU, SIGRTMIN}) {
        EXPECT_EQ(received_signal(number, SI_USER, other, self), (ReceivedSignal{number, false})) << number;
        EXPECT_EQ(received_signal(number, SI_QUEUE, other, self), (ReceivedSignal{number, false})) << number;
    }
}

TEST(ReceivedSignal, FromTheTerminalHasReachedTheCommandToo) {
    for (const int number : {SIGINT, SIGQUIT, SIGTSTP, SIGWINCH}) {
        EXPECT_EQ(received_signal(number, SI_KERNEL, 0, self), (ReceivedSignal{number, true})) << number;
    }
}

TEST(ReceivedSignal, AHangUpOrAnAlarmFromTheKernelIsForTheCommand) {
    for (const int number : {SIGHUP, SIGALRM}) {
        EXPECT_EQ(received_signal(number, SI_KERNEL, 0, self), (ReceivedSignal{number, false})) << number;
    }
}

TEST(ReceivedSignal, ASignalOfTheKernelToDocentIsNotPassedOn) {
    for (const int number : {SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM, SIGIO, SIGURG, SIGCONT}) {
        EXPECT_EQ(received_signal(number, SI_KERNEL, 0, self), std::nullopt) << number;
    }
    EXPECT_EQ(received_signal(SIGPIPE, SI_USER, self, self), std::nullopt) << "its own write to a closed pipe";
}

TEST(Signals, SignalsThatDoNotEndAWaitAreDropped) {
    Signals signals(signals_for_commands());
    for (const int number : {SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGURG, SIGRTMIN}) ::raise(number);
    EXPECT_EQ(signals.next_to_end(), std::nullopt);
    for (const int number : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGALRM, SIGABRT}) {
        ::raise(SIGUSR1);
        ::raise(number);
        EXPECT_EQ(signals.next_to_end(), number);
        EXPECT_EQ(signals.next_to_end(), std::nullopt);
    }
}

TEST(Signals, LateSignalsForTheCommandDoNotEndDocent) {
    Signals signals(signals_for_commands());
    for (const int number : {SIGUSR1, SIGRTMAX, SIGVTALRM}) ::raise(number);
}

/// Runs `body` in a child process and returns its status when it has stopped or ended.
template <typename Body> int stopped_status(const Body& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        body();
        ::_exit(0);
    }
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    int status = 0;
    ::waitpid(child, &status, WUNTRACED);
    if (WIFSTOPPED(status)) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    return status;
}

TEST(Signals, SIGTSTPStopsTheProcess) {
    const int status = stopped_status([] {
        ::setpgid(0, 0); // its parent is in another group of the session: the kernel does not stop an orphaned group
        Signals signals(signals_for_commands());
        ::raise(SIGTSTP);
        signals.next_to_end();
    });
    EXPECT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP) << status;
}

TEST(Signals, ALateSignalThatEndsAWaitEndsTheProcess) {
    const int status = stopped_status([] {
        const Signals signals(signals_for_commands());
        ::raise(SIGTERM);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
}

/// After a signal, only a blocked output ends a process that still works.
TEST(StopOnSignal, WorkWhoseOutputIsNotBlockedHasTimeToEnd) {
    constexpr std::chrono::milliseconds work{1500}; // longer than an output may be blocked
    const int status = stopped_status([&] {
        const posix::UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        ::dup2(null.get(), STDOUT_FILENO);
        const StopOnSignal stop({SIGTERM}, BlockedOutput::ends_process);
        ::kill(::getpid(), SIGTERM);
        test::eventually([&] { return stop.token().stop_requested(); });
        pause_for(work, {});
        ::_exit(stop.received());
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == SIGTERM) << status;
}

} // namespace
} // namespace docent::cli
