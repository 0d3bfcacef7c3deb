// SPDX-License-Identifier: Apache-2.0
// docent lock without a command: it holds until a signal, and reports that.
#include "cli_fixture.hpp"
#include "full_pipe.hpp"

#include <signal.h>

namespace docent::test {
namespace {

class WithoutProgramTest : public CliTest {
protected:
    /// `docent lock /lock [options]`
    Setting alone(Words options = {}) const {
        options.insert(options.begin(), {"lock", "/lock", "--session-timeout", "10s"});
        return setting(std::move(options));
    }
};

TEST_F(WithoutProgramTest, PrintsNodeAndTokenAndHoldsUntilASignal) {
    DocentProcess holder(alone());
    ASSERT_TRUE(has_printed_a_line(holder));
    const auto held = nodes();
    ASSERT_EQ(held.size(), 1u);
    const auto token = observer.get("/lock/" + held.front()).stat.czxid;
    EXPECT_EQ(holder.output(), "/lock/" + held.front() + " " + std::to_string(token) + "\n");
    EXPECT_EQ(run(lock({"true"}, {"--no-wait"})).status, 75);
    EXPECT_TRUE(holder.running());
    holder.send(SIGTERM);
    EXPECT_EQ(holder.exit_status(), 0);
    EXPECT_EQ(holder.errors(), "");
    EXPECT_TRUE(nodes().empty());
}

TEST_F(WithoutProgramTest, ASignalWhileItWaitsEndsIt) {
    DocentProcess holder(alone());
    ASSERT_TRUE(has_printed_a_line(holder));
    DocentProcess waiter(alone());
    ASSERT_TRUE(queue_reaches(2));
    expect_ended_by(waiter, SIGINT);
    EXPECT_EQ(waiter.output(), "");
    EXPECT_EQ(nodes().size(), 1u);
}

TEST_F(WithoutProgramTest, ItsOwnLimitEndsIt) {
    expect_outcome(run(alone({"--max-hold", "100ms"})), 124, "--max-hold is over");
    EXPECT_TRUE(nodes().empty());
}

TEST_F(WithoutProgramTest, ARequestForTheLockEndsTheHold) {
    DocentProcess holder(alone({"--revocable"}));
    ASSERT_TRUE(has_printed_a_line(holder));
    EXPECT_EQ(run(setting({"revoke", first_node()})).status, 0);
    EXPECT_EQ(holder.exit_status(), 0);
    expect_one_line(holder.errors(), "another client asks for the lock");
    EXPECT_TRUE(nodes().empty());
}

TEST_F(WithoutProgramTest, AClosedOutputEndsTheHold) {
    expect_outcome(run(in_shell(alone(), "\"$0\" \"$@\" > /dev/full")), 1, "cannot write to standard output");
    EXPECT_TRUE(queue_reaches(0));
}

TEST_F(WithoutProgramTest, WhileNobodyReadsItsOutputItEndsAsUsual) {
    const FullPipe pipe(file("full"));
    const auto unread = [this](const Words& options) {
        return in_shell(alone(options), "exec \"$0\" \"$@\" > " + file("full"));
    };
    EXPECT_EQ(run(unread({"--max-hold", "100ms"})).status, 124);
    EXPECT_TRUE(nodes().empty());
    DocentProcess holder(unread({"--verbose"}));
    ASSERT_TRUE(says(holder, "acquired after"));
    holder.send(SIGTERM);
    EXPECT_EQ(holder.exit_status(), 0);
    EXPECT_TRUE(nodes().empty());
}

TEST_F(WithoutProgramTest, OtherSignalsDoNothing) {
    DocentProcess holder(alone());
    ASSERT_TRUE(has_printed_a_line(holder));
    DocentProcess waiter(alone());
    ASSERT_TRUE(queue_reaches(2));
    for (const int number : {SIGUSR1, SIGWINCH, SIGRTMIN}) {
        holder.send(number);
        waiter.send(number);
    }
    expect_ended_by(waiter, SIGTERM);
    EXPECT_EQ(nodes().size(), 1u);
    holder.send(SIGTERM);
    EXPECT_EQ(holder.exit_status(), 0);
}

TEST_F(WithoutProgramTest, WhenItsReaderHasGoneItGivesTheLockBack) {
    const std::string fifo = file("fifo");
    const std::string open_and_lose_reader = "mkfifo " + fifo + "; : < " + fifo + " & exec 3> " + fifo + "; wait; ";
    const auto result = run(in_shell(alone(), open_and_lose_reader + "exec \"$0\" \"$@\" >&3 3>&-"));
    EXPECT_EQ(result.status, 1) << "and not by SIGPIPE";
    expect_one_line(result.errors, "cannot write to standard output");
    EXPECT_TRUE(nodes().empty());
}

} // namespace
} // namespace docent::test
