// SPDX-License-Identifier: Apache-2.0
// docent lock and signals: the signals that reach the command, and the processes that are left.
#include "cli_fixture.hpp"

#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::test {
namespace {

using LockSignalsTest = CliTest;

TEST_F(LockSignalsTest, TermReachesTheCommandAndItsStatusComesBack) {
    DocentProcess holder(lock_script("trap 'exit 7' TERM; " + write("ready", "ready") + for_ever));
    ASSERT_TRUE(appears("ready"));
    holder.send(SIGTERM);
    EXPECT_EQ(holder.exit_status(), 7);
    EXPECT_TRUE(nodes().empty());
    EXPECT_EQ(holder.errors(), "");
}

/// The default action of these signals ends the command. None of them ends docent.
TEST_F(LockSignalsTest, AllCatchableSignalsArePassedOn) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGABRT, SIGPIPE, SIGVTALRM, SIGXCPU,
                             SIGIO, SIGPWR, SIGRTMIN, SIGRTMAX}) {
        const std::string ready = "ready" + std::to_string(number);
        DocentProcess holder(lock_script(write("in", ready) + "exec sleep 1000"));
        ASSERT_TRUE(appears(ready));
        expect_ended_by(holder, number);
        EXPECT_TRUE(nodes().empty()) << number;
        EXPECT_EQ(messages(holder), "") << number;
    }
}

TEST_F(LockSignalsTest, ASignalThatTheCommandKnowsDoesNotEndIt) {
    for (const int number : {SIGUSR1, SIGHUP}) {
        const std::string name = number == SIGHUP ? "HUP" : "USR1";
        DocentProcess holder(lock_script("trap 'echo got >> " + file(name) + "' " + name + "; trap 'exit 4' WINCH; " +
                                         write("in", "ready-" + name) + for_ever));
        ASSERT_TRUE(appears("ready-" + name));
        holder.send(number);
        ASSERT_TRUE(appears(name));
        EXPECT_EQ(nodes().size(), 1u);
        holder.send(SIGWINCH);
        EXPECT_EQ(holder.exit_status(), 4);
        EXPECT_EQ(read_file(folder / name), "got\n");
    }
}

TEST_F(LockSignalsTest, ThoseThatDoNotAskToEndDoNotEndTheWait) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    DocentProcess waiter(lock({"true"}));
    ASSERT_TRUE(queue_reaches(2));
    for (const int number : {SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGRTMIN}) waiter.send(number);
    holder.send(SIGKILL);
    EXPECT_EQ(waiter.exit_status(), 0);
}

TEST_F(LockSignalsTest, ASignalEndsTheWaitAndLeavesNoNode) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM}) {
        DocentProcess waiter(lock({"touch", file("ran")}));
        ASSERT_TRUE(queue_reaches(2));
        expect_ended_by(waiter, number);
        EXPECT_EQ(nodes().size(), 1u);
        EXPECT_EQ(waiter.errors(), "");
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "ran"));
}

/// A docent on its own terminal, as in a shell.
class TerminalTest : public CliTest {
protected:
    void start(const Setting& wanted) {
        std::vector<char*> words{const_cast<char*>(wanted.program.c_str())};
        for (const auto& word : wanted.words) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        ::setenv("DOCENT_CONNECT", wanted.connect.c_str(), 1);
        pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
        if (pid == 0) {
            ::execvp(words[0], words.data());
            ::_exit(99);
        }
        ASSERT_GT(pid, 0);
    }
    int exit_status() {
        int status = 0;
        EXPECT_TRUE(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
        pid = 0;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    void type(char key) { ASSERT_EQ(::write(terminal, &key, 1), 1); }
    void TearDown() override {
        if (pid > 0) ::kill(pid, SIGKILL);
        if (terminal >= 0) ::close(terminal);
    }

    pid_t pid = 0;
    int terminal = -1;
};

TEST_F(TerminalTest, ControlCReachesTheCommandOnce) {
    start(lock_script("n=0; trap 'n=$((n+1)); echo $n > " + file("got") + "' INT; trap 'exit $n' TERM; " +
                      write("ready", "ready") + for_ever));
    ASSERT_TRUE(appears("ready"));
    type('\x03');
    ASSERT_TRUE(appears("got"));
    EXPECT_EQ(::kill(pid, SIGTERM),
              0); // arrives after any signal that docent may have passed on: the kernel delivers lower numbers first
    EXPECT_EQ(exit_status(), 1);
}

TEST_F(TerminalTest, ATerminalThatWasStoppedDelaysNothing) {
    start(lock_soon_lost(goes_on(ignores_term), {"--grace", "200ms"}));
    ASSERT_TRUE(appears("pid"));
    type('\x13'); // Control-S
    server.kill();
    EXPECT_EQ(exit_status(), 76);
    EXPECT_FALSE(is_alive(pid_in("pid")));
}

TEST_F(TerminalTest, ABackgroundJobThatMayNotWriteThereIsNotStoppedByItsMessage) {
    const auto wanted = lock_soon_lost(goes_on(ignores_term), {"--grace", "200ms"});
    start(in_shell(wanted, "stty tostop; set -m; \"$0\" \"$@\" & wait $!"));
    ASSERT_TRUE(appears("pid"));
    server.kill();
    EXPECT_EQ(exit_status(), 76);
    EXPECT_FALSE(is_alive(pid_in("pid")));
}

TEST_F(TerminalTest, ControlZStopsBothAndTheLockIsLostOnTime) {
    start(in_shell(lock_soon_lost(goes_on()),
                   "set -m; \"$0\" \"$@\"; " + write("$?", "stopped") + wait_for_file("go") + "fg; exit $?"));
    ASSERT_TRUE(appears("pid"));
    const pid_t command = pid_in("pid");
    type('\x1a');
    ASSERT_TRUE(appears("stopped"));
    EXPECT_TRUE(ends(command)); // although docent is stopped
    touch("go");
    EXPECT_EQ(exit_status(), 76); // the shell then brings it back to the foreground
}

/// The job control of the shell, which stops or continues a whole process group, is not involved.
TEST_F(TerminalTest, AStopOfDocentAloneStopsTheCommandAndContinuingGoesOnWithBoth) {
    start(in_shell(lock_script(write("$$", "pid") + for_ever), "set -m; \"$0\" \"$@\" & " + write("$!", "docent") + for_ever));
    ASSERT_TRUE(appears("pid") && appears("docent"));
    const pid_t command = pid_in("pid");
    const pid_t docent = pid_in("docent");
    const auto state_is = [](pid_t process, const std::string& states) {
        return eventually([&] { return states.find(stat_field(process, 1)) != std::string::npos; });
    };
    ASSERT_EQ(::kill(docent, SIGTSTP), 0);
    EXPECT_TRUE(state_is(command, "T"));
    EXPECT_TRUE(state_is(docent, "T"));
    ASSERT_EQ(::kill(docent, SIGCONT), 0);
    EXPECT_TRUE(state_is(docent, "SR"));
    EXPECT_TRUE(state_is(command, "SR"));
    ASSERT_EQ(::kill(docent, SIGTERM), 0);
    EXPECT_TRUE(ends(docent));
}

TEST_F(TerminalTest, AnInteractiveShellControlsItsJobs) {
    start(lock({"bash", "--norc", "--noprofile", "-i"}));
    const auto type_line = [&](const std::string& line) {
        for (const char key : line + "\r") type(key);
    };
    type_line("sh -c '" + write("in", "in") + "exec sleep 1000'");
    ASSERT_TRUE(appears("in"));
    type('\x1a');
    type_line("jobs > " + file("jobs"));
    ASSERT_TRUE(appears("jobs"));
    EXPECT_NE(read_file(folder / "jobs").find("Stopped"), std::string::npos) << read_file(folder / "jobs");
    type_line(
        "kill -KILL %1; wait %1; exit 3; exit 3"); // the shell refuses the first `exit` if it still counts the job as stopped
    EXPECT_EQ(exit_status(), 3);
}

} // namespace
} // namespace docent::test
