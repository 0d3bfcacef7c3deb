// SPDX-License-Identifier: Apache-2.0
// docent elect on two machines when a machine loses its docent, its network or its leadership.
#include "elect_fixture.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <fstream>
#include <string>

namespace docent::test {
namespace {

class ElectLossTest : public ElectTest {
protected:
    /// A command that reports a request to end, and ends when the file `end` exists.
    const std::string slow =
        "trap 'echo > " + file("term") + "; until [ -e " + file("end") + " ]; do sleep 0.02 9>&-; done; exit' TERM; ";
    void let_slow_end() const { std::ofstream(folder / "end") << "now"; }
};

TEST_F(ElectLossTest, AfterKill9TheCommandIsDeadAndTheOtherMachineRunsIt) {
    DocentProcess first(machine("first", {"--session-timeout", "2s"}));
    const pid_t command = command_of("first");
    DocentProcess second(machine("second"));
    ASSERT_TRUE(queue_reaches(2));
    first.send(SIGKILL);
    EXPECT_TRUE(ends(command));
    command_of("second");
    EXPECT_EQ(leader(), "second\n");
    EXPECT_TRUE(never_two());
}

/// The participant is cut off, and its command ignores SIGTERM.
TEST_F(ElectLossTest, CutOffItKillsACommandThatIgnoresTermBeforeTheOtherRunsAndStandsForElectionAgain) {
    docent::testing::FaultProxy way(server.port());
    auto behind = machine("first", {"--session-timeout", "4s"}, "trap '' TERM; ");
    behind.connect = way.connect_string();
    DocentProcess first(behind);
    const pid_t command = command_of("first");
    DocentProcess second(machine("second"));
    ASSERT_TRUE(queue_reaches(2));
    way.black_hole();
    command_of("second");
    EXPECT_FALSE(is_alive(command));
    EXPECT_TRUE(first.running());
    way.heal();
    ASSERT_TRUE(queue_reaches(2));
    second.send(SIGTERM);
    EXPECT_EQ(second.exit_status(), 128 + SIGTERM);
    command_of("first", 2);
    EXPECT_EQ(leader(), "first\n");
    EXPECT_TRUE(never_two());
    expect_one_line(messages(first), "election /lock: the lead was lost");
}

TEST_F(ElectLossTest, ADocentThatStoodStillForLongerThanItsSessionFindsItsCommandEndedAndStandsForElectionAgain) {
    DocentProcess first(machine("first", {"--session-timeout", "4s"}));
    const pid_t command = command_of("first");
    DocentProcess second(machine("second"));
    ASSERT_TRUE(queue_reaches(2));
    first.send(SIGSTOP);
    command_of("second");
    EXPECT_FALSE(is_alive(command)) << "its guard has ended it";
    first.send(SIGCONT);
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_EQ(leader(), "second\n");
    first.send(SIGTERM); // the first participant waits
    EXPECT_EQ(first.exit_status(), 128 + SIGTERM);
    EXPECT_TRUE(never_two());
}

/// The session survives because docent continues in time. The guard has asked the command to end, and the command takes its
/// time.
TEST_F(ElectLossTest, NoOtherLeadsWhileTheCommandOfALostLeadershipLives) {
    DocentProcess first(machine("first", {"--grace", "1000s"}, slow));
    const pid_t command = command_of("first");
    DocentProcess second(machine("second"));
    ASSERT_TRUE(queue_reaches(2));
    first.send(SIGSTOP);
    ASSERT_TRUE(file_appears(folder / "term"));
    first.send(SIGCONT);
    ASSERT_TRUE(says(first, "the lead was lost"));
    observer.sync();
    EXPECT_EQ(nodes().size(), 2u);
    EXPECT_EQ(leader(), "first\n");
    EXPECT_TRUE(is_alive(command));
    let_slow_end();
    command_of("second");
    EXPECT_TRUE(never_two());
    ASSERT_TRUE(queue_reaches(2)) << "behind the other";
    EXPECT_EQ(leader(), "second\n");
}

TEST_F(ElectLossTest, ASignalWhileTheCommandStopsEndsTheCandidacy) {
    DocentProcess process(machine("first", {"--grace", "1000s"}, slow));
    command_of("first");
    observer.remove("/lock/" + nodes().front());
    ASSERT_TRUE(file_appears(folder / "term"));
    process.send(SIGTERM);
    let_slow_end();
    EXPECT_EQ(process.exit_status(), 128 + SIGTERM);
    EXPECT_TRUE(nodes().empty());
}

TEST_F(ElectLossTest, OnceItEndsWithTheLead) {
    DocentProcess process(machine("first", {"--once"}));
    const pid_t command = command_of("first");
    observer.remove("/lock/" + nodes().front());
    EXPECT_EQ(process.exit_status(), 76);
    EXPECT_FALSE(is_alive(command));
    EXPECT_TRUE(nodes().empty());
    expect_one_line(messages(process), "election /lock: the lead was lost");
}

TEST_F(ElectLossTest, AnotherTermIsGuardedAsTheFirst) {
    DocentProcess process(machine("first", {}, DOCENT_STRAY_PROGRAM " " + file("stray") + " 9>&-; "));
    const pid_t before = command_of("first");
    ASSERT_TRUE(file_appears(folder / "stray"));
    const std::string first_stray = read_file(folder / "stray");
    observer.remove("/lock/" + nodes().front());
    const pid_t command = command_of("first", 2);
    EXPECT_FALSE(is_alive(before) || is_alive(static_cast<pid_t>(std::stol(first_stray))));
    ASSERT_TRUE(eventually([&] {
        const std::string now = read_file(folder / "stray");
        return !now.empty() && now != first_stray;
    }));
    const pid_t second_stray = pid_in(folder / "stray");
    ::kill(parent_of(command), SIGKILL); // kills the guard
    EXPECT_EQ(process.exit_status(), 128 + SIGKILL);
    EXPECT_FALSE(is_alive(command) || is_alive(second_stray));
    EXPECT_TRUE(nodes().empty());
    EXPECT_TRUE(never_two());
}

TEST_F(ElectLossTest, AnOutageOfTheServersEndsTheCommandAndNotTheElection) {
    DocentProcess process(machine("first", {"--session-timeout", "4s"}));
    const pid_t command = command_of("first");
    server.kill();
    EXPECT_TRUE(ends(command));
    server.start();
    command_of("first", 2);
    EXPECT_EQ(leader(), "first\n");
    EXPECT_TRUE(never_two());
    process.send(SIGTERM);
    EXPECT_EQ(process.exit_status(), 128 + SIGTERM);
}

} // namespace
} // namespace docent::test
