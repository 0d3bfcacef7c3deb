// SPDX-License-Identifier: Apache-2.0
// docent elect without faults.
#include "elect_fixture.hpp"

#include <string>
#include <vector>

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
    const auto missing = run(elect({"no-such-command"}));
    EXPECT_EQ(missing.status, 127);
    expect_one_line(missing.errors, "no-such-command");
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
    third.send(SIGINT); // it waits without leadership
    EXPECT_EQ(third.exit_status(), 128 + SIGINT);
    EXPECT_EQ(nodes().size(), 2u);
    EXPECT_TRUE(is_alive(command));
    first.send(SIGTERM);
    EXPECT_EQ(first.exit_status(), 128 + SIGTERM);
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
    first.send(SIGTERM);
    EXPECT_EQ(first.exit_status(), 128 + SIGTERM);
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
    const auto no_command = run(setting({"elect", "/a"}));
    EXPECT_EQ(no_command.status, 64);
    expect_one_line(no_command.errors, "the command to run is missing");
    observer.create("/closed", "", {.acl = std::vector{AclEntry{Permission::read, "world", "anyone"}}});
    const auto closed = run(setting({"elect", "/closed/e", "--", "true"}));
    EXPECT_EQ(closed.status, 1);
    expect_one_line(closed.errors, "election /closed/e: the parent /closed/e is missing and cannot be made: not permitted");
    server.stop(); // its port stays reserved
    const auto nobody = run(elect({"true"}));
    EXPECT_EQ(nobody.status, 69);
    expect_one_line(nobody.errors, server.connect_string());
}

} // namespace
} // namespace docent::test
