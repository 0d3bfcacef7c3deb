// SPDX-License-Identifier: Apache-2.0
#include "posix/spawn.hpp"

#include "eventually.hpp"
#include "limits.hpp"
#include "posix/descriptors.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::posix {
namespace {

int wait_status(pid_t pid) {
    int status = -1;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return status;
}

std::string read_to_end(int fd) {
    std::string text;
    std::array<char, 256> block{};
    for (;;) {
        const ssize_t count = ::read(fd, block.data(), block.size());
        if (count <= 0) return text;
        text.append(block.data(), static_cast<std::size_t>(count));
    }
}

/// Starts a shell script by spawn_detached() with `start`. Returns the output.
std::string output_of(const std::string& script, DetachedStart start = {}) {
    Channel channel = make_channel();
    start.output = channel.theirs.get();
    const Spawned spawned = spawn_detached(ProgramImage({"sh", "-c", script}), start);
    EXPECT_EQ(spawned.error, 0);
    channel.theirs.reset();
    std::string text = read_to_end(channel.ours.get());
    wait_status(spawned.pid);
    return text;
}

TEST(Spawn, APendingSignalEndsTheProgramAndRunsNoHandler) {
    ::signal(SIGUSR1, [](int) {});
    const pid_t child = fork_child([](const sigset_t& mask) {
        ::raise(SIGUSR1);
        ProgramImage({"true"}).execute(mask);
    });
    const int status = wait_status(child);
    ::signal(SIGUSR1, SIG_DFL);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1) << status;
}

TEST(Spawn, GivesTheStreams) {
    Channel input = make_channel();
    ASSERT_EQ(::send(input.ours.get(), "in", 2, MSG_NOSIGNAL), 2);
    input.ours.reset();
    EXPECT_EQ(output_of("cat; echo -n out; echo -n err >&2", {.input = input.theirs.get()}), "inouterr");
    EXPECT_EQ(output_of("cat"), ""); // reads /dev/null
}

TEST(Spawn, GivesErrorsAStreamOfTheirOwn) {
    Channel errors = make_channel();
    EXPECT_EQ(output_of("echo -n out; echo -n err >&2", {.errors = errors.theirs.get()}), "out");
    errors.theirs.reset();
    EXPECT_EQ(read_to_end(errors.ours.get()), "err");
}

TEST(Spawn, GivesNoOtherDescriptor) {
    const UniqueFd inheritable(::dup(STDOUT_FILENO));
    const std::string number = std::to_string(inheritable.get());
    EXPECT_EQ(output_of("[ -e /proc/$$/fd/2 ] && ! [ -e /proc/$$/fd/" + number + " ] && echo closed"), "closed\n");
}

TEST(Spawn, InputAndOutputMayBeOneDescriptor) {
    Channel channel = make_channel();
    ASSERT_EQ(::send(channel.ours.get(), "echo", 4, MSG_NOSIGNAL), 4);
    ::shutdown(channel.ours.get(), SHUT_WR);
    const int end = channel.theirs.get();
    const Spawned spawned = spawn_detached(ProgramImage({"cat"}), {.input = end, .output = end});
    channel.theirs.reset();
    EXPECT_EQ(read_to_end(channel.ours.get()), "echo");
    EXPECT_EQ(wait_status(spawned.pid), 0);
}

TEST(Spawn, AnnouncesTheChild) {
    Channel channel = make_channel();
    const Spawned spawned = spawn_detached(ProgramImage({"/no/such/program"}), {.announce_to = channel.theirs.get()});
    channel.theirs.reset();
    EXPECT_EQ(read_to_end(channel.ours.get()), std::to_string(spawned.pid) + "\n"); // written before the attempt
    EXPECT_EQ(spawned.error, ENOENT);
    wait_status(spawned.pid);
}

TEST(Spawn, TellsWhyAProgramCannotBeExecuted) {
    for (const auto& [program, error] : {std::pair{"no-such-program-in-path", ENOENT}, {"/", EACCES}}) {
        const Spawned spawned = spawn_detached(ProgramImage({program}), {});
        EXPECT_EQ(spawned.error, error);
        wait_status(spawned.pid);
    }
}

TEST(Spawn, ResetsIgnoredAndBlockedSignals) {
    struct sigaction ignored {};
    struct sigaction before {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGTERM, &ignored, &before);
    Spawned spawned;
    {
        const SignalsBlocked blocked;
        spawned = spawn_detached(ProgramImage({"sh", "-c", "kill -TERM $$; exit 3"}), {});
    }
    ::sigaction(SIGTERM, &before, nullptr);
    const int status = wait_status(spawned.pid);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(Spawn, TheChildLeadsASession) {
    EXPECT_EQ(output_of("[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ] && echo leads"), "leads\n");
}

bool sleeps(pid_t thread) {
    const auto stat = read_file("/proc/self/task/" + std::to_string(thread) + "/stat");
    return stat && stat->find(") S ") != std::string::npos;
}

TEST(ReportedError, ArrivesThoughSignalsInterruptTheReader) {
    struct sigaction heard {};
    struct sigaction before {};
    heard.sa_handler = [](int) {}; // without SA_RESTART
    ::sigaction(SIGUSR1, &heard, &before);
    const Channel channel = make_channel();
    std::optional<int> error;
    std::atomic<pid_t> thread{0};
    std::atomic<bool> done{false};
    std::thread reader([&] {
        thread = ::gettid();
        error = read_reported_error(channel.ours.get());
        done = true;
    });
    for (int sent = 0; sent < 50 && !done; ++sent) { // at first the reader may sleep elsewhere
        EXPECT_TRUE(test::eventually([&] { return done || (thread != 0 && sleeps(thread)); }));
        ::pthread_kill(reader.native_handle(), SIGUSR1);
    }
    report_error(channel.theirs.get(), EACCES);
    reader.join();
    ::sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(error, EACCES);
}

TEST(Spawn, WithoutDescriptorsItFailsAndLeaksNothing) {
    const auto before = test::open_descriptors();
    const ProgramImage image({"true"});
    for (const rlim_t more : {0U, 1U, 2U}) { // one descriptor for /dev/null and two for the pipe
        const test::DescriptorLimit limit(more);
        try {
            spawn_detached(image, {});
            FAIL() << more;
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), std::errc::too_many_files_open) << e.what();
        }
    }
    EXPECT_EQ(test::open_descriptors(), before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child was left behind either";
}

TEST(Spawn, AChildWithoutDescriptorsSaysSo) {
    Spawned spawned;
    {
        const test::DescriptorLimit limit(3); // enough for this process
        spawned = spawn_detached(ProgramImage({"true"}), {});
    }
    EXPECT_EQ(spawned.error, EMFILE);
    EXPECT_NE(wait_status(spawned.pid), 0);
}

TEST(ProgramImage, HasTheNewVariables) {
    ::setenv("DOCENT_TEST_VARIABLE", "ours", 1);
    const ProgramImage image({"sh", "-c", R"([ "$DOCENT_TEST_VARIABLE" = theirs ] && [ -n "$PATH" ] && ! env | grep -q =ours)"},
                             {"DOCENT_TEST_VARIABLE=theirs"});
    ::unsetenv("DOCENT_TEST_VARIABLE");
    EXPECT_EQ(wait_status(spawn_detached(image, {}).pid), 0);
}

TEST(ProgramImage, LacksTheVariablesThatAreTakenAway) {
    ::setenv("DOCENT_TEST_VARIABLE", "ours", 1);
    const ProgramImage image({"sh", "-c", "[ -n \"$PATH\" ] && ! env | grep -q DOCENT_TEST_VARIABLE"},
                             {"DOCENT_TEST_VARIABLE"});
    ::unsetenv("DOCENT_TEST_VARIABLE");
    EXPECT_EQ(wait_status(spawn_detached(image, {}).pid), 0);
}

TEST(ProgramImage, KeepsVariablesThatOnlyBeginWithTheNameOfARemovedOne) {
    ::setenv("DOCENT_TEST_VARIABLE_2", "ours", 1);
    const ProgramImage image({"sh", "-c", "[ \"$DOCENT_TEST_VARIABLE_2\" = ours ]"}, {"DOCENT_TEST_VARIABLE"});
    ::unsetenv("DOCENT_TEST_VARIABLE_2");
    EXPECT_EQ(wait_status(spawn_detached(image, {}).pid), 0);
}

TEST(ForkChild, StartsWithAllSignalsBlockedAndGetsTheEarlierMask) {
    sigset_t ours;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &ours);
    const pid_t pid = fork_child([&](const sigset_t& before) {
        sigset_t mask;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        const bool as_before = ::sigismember(&before, SIGTERM) == ::sigismember(&ours, SIGTERM);
        ::_exit(::sigismember(&mask, SIGTERM) == 1 && as_before ? 5 : 6);
    });
    EXPECT_EQ(WEXITSTATUS(wait_status(pid)), 5);
}

TEST(ForkChild, EndsWithItsBodyInEveryCase) {
    EXPECT_EQ(WEXITSTATUS(wait_status(fork_child([](const sigset_t&) {}))), EXIT_FAILURE);
    EXPECT_EQ(WEXITSTATUS(wait_status(fork_child([](const sigset_t&) { throw std::runtime_error("no"); }))), EXIT_FAILURE);
}

TEST(DieWith, EndsTheChildWithTheThreadThatStartedIt) {
    pid_t pid = 0;
    std::thread([&] {
        Channel ready = make_channel();
        pid = fork_child([&, parent = ::getpid()](const sigset_t&) {
            die_with(parent);
            report_error(ready.theirs.get(), EOWNERDEAD);
            for (;;) ::pause();
        });
        EXPECT_EQ(read_reported_error(ready.ours.get()), EOWNERDEAD);
    }).join();
    const int status = wait_status(pid);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(DieWith, KillsTheChildOfAParentThatHasEndedAlready) {
    const int status = wait_status(fork_child([](const sigset_t&) {
        die_with(::getpid()); // this process is not its parent
    }));
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

} // namespace
} // namespace docent::posix
