// SPDX-License-Identifier: Apache-2.0
// docent elect without faults, and on two machines when a machine loses its docent, its network or its leadership.
#include "elect_fixture.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <string>
#include <vector>

#include <signal.h>
#include <unistd.h>

namespace docent::test {
namespace {

TEST_F(ElectTest, ExitsAsACommandThatEndsByItself) {
    EXPECT_EQ(run(elect({"true"})).status, 0);
    const auto result = run(elect({"sh", "-c", "cat; echo \"$DOCENT_LOCK_PATH $DOCENT_LOCK_NODE\"; exit 3"}));
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(result.output.rfind("/lock /lock/_c_", 0), 0u) << result.output;
    EXPECT_NE(result.output.find("-latch-0000000001\n"), std::string::npos) << result.output;
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(run(elect({"sh", "-c", "kill -KILL $$"})).status, 128 + SIGKILL);
    expect_outcome(run(elect({"no-such-command"})), 127, "no-such-command");
    EXPECT_TRUE(nodes().empty());
}

TEST_F(ElectTest, OneRunsAndTheNextOneWhenThatIsToldToEnd) {
    DocentProcess first(machine("first"));
    const pid_t command = command_of("first");
    DocentProcess second(machine("second", {}, "trap 'exit 5' TERM; "));
    ASSERT_TRUE(queue_reaches(2));
    DocentProcess third(machine("third"));
    ASSERT_TRUE(queue_reaches(3));
    EXPECT_EQ(leader(), "first\n");
    expect_ended_by(third, SIGINT); // it waits without leadership
    EXPECT_EQ(nodes().size(), 2u);
    EXPECT_TRUE(is_alive(command));
    expect_ended_by(first, SIGTERM);
    command_of("second");
    EXPECT_EQ(leader(), "second\n");
    EXPECT_EQ(nodes().size(), 1u);
    second.send(SIGTERM);
    EXPECT_EQ(second.exit_status(), 5);
    EXPECT_TRUE(nodes().empty());
    EXPECT_EQ(first.errors() + second.errors() + third.errors(), "");
    EXPECT_TRUE(never_two());
}

TEST_F(ElectTest, VerboseReportsTheLeaderTheLeadAndItsEnd) {
    DocentProcess first(machine("first", {"--verbose"}));
    const pid_t command = command_of("first");
    DocentProcess second(machine("second", {"--verbose"}));
    EXPECT_TRUE(says(first, "election /lock: leads after ")) << first.errors();
    EXPECT_TRUE(says(second, "election /lock: waiting for ")) << second.errors();
    EXPECT_TRUE(says(second, ", led by first")) << second.errors();
    expect_ended_by(first, SIGTERM);
    EXPECT_TRUE(says(first, "election /lock: leads no more")) << first.errors();
    EXPECT_TRUE(ends(command));
    EXPECT_TRUE(says(second, "election /lock: leads after ")) << second.errors();
    second.send(SIGTERM);
    second.exit_status();
}

TEST_F(ElectTest, ItsIdNamesItsUserHostProcessAndCommand) {
    DocentProcess process(elect({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    const std::string id = leader();
    EXPECT_NE(id.find(":" + std::to_string(process.pid()) + " sleep"), std::string::npos) << id;
}

TEST_F(ElectTest, ErrorsAreOneLine) {
    EXPECT_EQ(run(setting({"elect", "/a", "--id", "", "--", "true"})).status, 64);
    EXPECT_EQ(run(setting({"elect", "/a", "--no-wait", "--", "true"})).status, 64);
    expect_outcome(run(setting({"elect", "/a"})), 64, "the command to run is missing");
    observer.create("/closed", "", {.acl = std::vector{AclEntry{Permission::read, "world", "anyone"}}});
    expect_outcome(run(setting({"elect", "/closed/e", "--", "true"})), 1,
                   "election /closed/e: the parent /closed/e is missing and cannot be made: not permitted");
    server.stop(); // its port stays reserved
    expect_outcome(run(elect({"true"})), 69, server.connect_string());
}

class ElectLossTest : public ElectTest {
protected:
    static constexpr auto no_servers = "docent: election /lock: no ZooKeeper answers; waiting for one";
    static constexpr auto lead_was_lost = "election /lock: the lead was lost";
    /// Expects a loss, and no other messages than those of losses and of missing servers: the lead may be lost once more on a
    /// busy machine.
    static void expect_losses(const std::vector<std::string>& said) {
        ASSERT_FALSE(said.empty());
        EXPECT_NE(said[0].find(lead_was_lost), std::string::npos) << said[0];
        for (const auto& line : said) EXPECT_TRUE(line.find(lead_was_lost) != std::string::npos || line == no_servers) << line;
    }

    /// A command that reports a request to end, and ends when the file `end` exists.
    const std::string slow =
        "trap 'echo > " + file("term") + "; until [ -e " + file("end") + " ]; do sleep 0.02 9>&-; done; exit' TERM; ";
};

TEST_F(ElectLossTest, AfterKill9TheCommandIsDeadAndTheOtherMachineRunsIt) {
    DocentProcess first(machine("first", {"--session-timeout", "5s"}));
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
    DocentProcess first(through(way, machine("first", {"--session-timeout", "4s"}, ignores_term)));
    const pid_t command = command_of("first");
    DocentProcess second(machine("second"));
    ASSERT_TRUE(queue_reaches(2));
    way.black_hole();
    command_of("second");
    EXPECT_FALSE(is_alive(command));
    EXPECT_TRUE(first.running());
    way.heal();
    ASSERT_TRUE(queue_reaches(2));
    expect_ended_by(second, SIGTERM);
    command_of("first", 2);
    EXPECT_EQ(leader(), "first\n");
    EXPECT_TRUE(never_two());
    expect_losses(lines_of(messages(first)));
}

TEST_F(ElectLossTest, AfterALossItReportsOnceThatNoServerAnswers) {
    docent::testing::FaultProxy way(server.port());
    DocentProcess process(through(way, machine("first", {"--session-timeout", "4s"})));
    command_of("first");
    way.black_hole();
    EXPECT_TRUE(says(process, no_servers)) << process.errors();
    way.heal();
    command_of("first", 2);
    const auto said = lines_of(messages(process));
    EXPECT_EQ(std::count(said.begin(), said.end(), no_servers), 1) << process.errors();
    expect_losses(said);
    expect_ended_by(process, SIGTERM);
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
    const std::string leads = leader();
    const bool has_lost_it = messages(second).find(lead_was_lost) != std::string::npos;
    EXPECT_TRUE(leads == "second\n" || has_lost_it) << "the leader is " << leads;
    expect_ended_by(first, SIGTERM);
    EXPECT_TRUE(never_two());
}

/// The session survives because docent continues in time. The guard has asked the command to end, and the command takes its
/// time.
TEST_F(ElectLossTest, NoOtherLeadsWhileTheCommandOfALostLeadershipLives) {
    docent::testing::FaultProxy proxy(server.port());
    DocentProcess first(through(proxy, machine("first", {"--grace", "1000s"}, slow)));
    const pid_t command = command_of("first");
    DocentProcess second(machine("second"));
    ASSERT_TRUE(queue_reaches(2) && rests_on_heartbeats(proxy));
    first.send(SIGSTOP);
    ASSERT_TRUE(appears("term"));
    first.send(SIGCONT);
    ASSERT_TRUE(says(first, "the lead was lost"));
    observer.sync();
    EXPECT_EQ(nodes().size(), 2u);
    EXPECT_EQ(leader(), "first\n");
    EXPECT_TRUE(is_alive(command));
    touch("end");
    command_of("second");
    EXPECT_TRUE(never_two());
    ASSERT_TRUE(queue_reaches(2)) << "behind the other";
    EXPECT_EQ(leader(), "second\n");
}

TEST_F(ElectLossTest, ASignalWhileTheCommandStopsEndsTheCandidacy) {
    DocentProcess process(machine("first", {"--grace", "1000s"}, slow));
    command_of("first");
    observer.remove(first_node());
    ASSERT_TRUE(appears("term"));
    process.send(SIGTERM);
    touch("end");
    EXPECT_EQ(process.exit_status(), 128 + SIGTERM);
    EXPECT_TRUE(nodes().empty());
}

/// The kernel drops a signal that comes to the first process of a PID namespace while it has its default action.
TEST_F(ElectLossTest, AsTheFirstProcessOfAContainerItHearsASignalBetweenTwoLeads) {
    docent::testing::FaultProxy way(server.port());
    auto contained = through(way, machine("first", {"--session-timeout", "4s"}));
    contained.words.insert(contained.words.begin(), {"--propagation=unchanged", // cannot be changed in a chroot
                                                     "-p", "-f", "--kill-child", "--mount-proc", DOCENT_BINARY});
    if (::geteuid() != 0) contained.words.insert(contained.words.begin(), "-r");
    contained.program = "unshare";
    DocentProcess process(contained);
    command_of("first");
    const pid_t first_process = first_child_of(process.pid());
    ASSERT_GT(first_process, 0);
    const pid_t guard = first_child_of(first_process);
    ASSERT_GT(guard, 0);
    way.black_hole();
    ASSERT_TRUE(ends(guard)); // the last thing that is left of this lead, before docent stands for the next one
    ::kill(first_process, SIGTERM);
    EXPECT_EQ(process.exit_status(), 128 + SIGTERM);
}

TEST_F(ElectLossTest, OnceItEndsWithTheLead) {
    DocentProcess process(machine("first", {"--once"}));
    const pid_t command = command_of("first");
    observer.remove(first_node());
    EXPECT_EQ(process.exit_status(), 76);
    EXPECT_FALSE(is_alive(command));
    EXPECT_TRUE(nodes().empty());
    expect_one_line(messages(process), "election /lock: the lead was lost");
}

TEST_F(ElectLossTest, AnotherTermIsGuardedAsTheFirst) {
    DocentProcess process(machine("first", {}, DOCENT_STRAY_PROGRAM " " + file("stray") + " 9>&-; "));
    const pid_t before = command_of("first");
    ASSERT_TRUE(appears("stray"));
    const std::string first_stray = read_file(folder / "stray");
    observer.remove(first_node());
    const pid_t command = command_of("first", 2);
    EXPECT_FALSE(is_alive(before) || is_alive(static_cast<pid_t>(std::stol(first_stray))));
    ASSERT_TRUE(eventually([&] {
        const std::string now = read_file(folder / "stray");
        return !now.empty() && now != first_stray;
    }));
    const pid_t second_stray = pid_in("stray");
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
    expect_ended_by(process, SIGTERM);
}

} // namespace
} // namespace docent::test
