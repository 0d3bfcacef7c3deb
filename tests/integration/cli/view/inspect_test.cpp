// SPDX-License-Identifier: Apache-2.0
// docent inspect: a table in a terminal, lines and JSON for scripts, and --watch, which prints again after each change.
#include "cli_fixture.hpp"
#include "view/many_locks.hpp"
#include "view/real_terminal.hpp"

#include <docent/recipes/inter_process_semaphore.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <map>
#include <set>
#include <string>

#include <signal.h>

namespace docent::test {
namespace {

class InspectTest : public CliTest {
protected:
    RealTerminal terminal(const Words& words, int columns = 140, int lines = 60) const {
        return RealTerminal(words, server.connect_string(), columns, lines);
    }
};

TEST_F(InspectTest, IsATableInATerminal) {
    ManyLocks locks(observer, 1);
    locks.build();
    locks.come("ann");
    locks.come("bob \x1b[2J");
    const auto seen = terminal({"inspect", "/app/lock-000"});
    ASSERT_TRUE(seen.shows("ended 0"));
    const auto lines = lines_of(seen.screen());
    ASSERT_GE(lines.size(), 5U);
    EXPECT_EQ(lines[1], "mutex /app/lock-000: 1 holds, 1 waits");
    EXPECT_EQ(lines[2].find("#  KIND  STATE"), 0U) << lines[2];
    EXPECT_EQ(lines[3].find("0  lock  holds        "), 0U) << lines[3];
    EXPECT_NE(lines[4].find("  waits for 0  "), std::string::npos) << lines[4];
    EXPECT_NE(lines[4].find("  bob ?[2J-0  "), std::string::npos) << lines[4];
    ASSERT_NE(lines[3].find("_c_0f3a"), std::string::npos) << lines[3];
    EXPECT_EQ(lines[3].find("_c_0f3a"), lines[4].find("_c_0f3a"));
}

TEST_F(InspectTest, WatchFollowsFiftyContendersThatComeAndGo) {
    const auto seen = terminal({"inspect", "/app", "--watch"});
    ASSERT_TRUE(seen.shows("nobody is at /app"));
    observer.create("/app");
    Words queue;
    for (int i = 0; i < 50; ++i) {
        queue.push_back(observer
                            .create("/app/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lock-", "member-" + std::to_string(i),
                                    {.mode = CreateMode::ephemeral_sequential})
                            .path);
    }
    ASSERT_TRUE(seen.shows("mutex /app: 1 holds, 49 wait"));
    ASSERT_TRUE(seen.shows(" waits for 48 "));
    for (int i = 0; i < 49; ++i) observer.remove(queue[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(seen.shows("mutex /app: 1 holds, 0 wait"));
    EXPECT_TRUE(seen.shows("member-49"));
    EXPECT_EQ(seen.screen().find("member-48"), std::string::npos) << seen.screen();
    seen.resize(70, 10);
    ASSERT_TRUE(seen.shows("\n    /app/_c_0f3a")) << "the node has a line of its own";
    seen.press({"C-c"});
    EXPECT_TRUE(seen.ended(0));
}

TEST_F(InspectTest, WatchSaysWhenNoServerAnswersAndGoesOn) {
    ManyLocks locks(observer, 1);
    locks.build();
    locks.come("ann");
    const auto seen = terminal({"inspect", "/app/lock-000", "--watch", "--session-timeout", "2s"});
    ASSERT_TRUE(seen.shows("ann-0"));
    server.stop();
    ASSERT_TRUE(seen.shows("no server answers"));
    EXPECT_NE(seen.screen().find("ann-0"), std::string::npos) << "what was there before";
    server.start();
    observer.create("/app/lock-000/lock-", "bob", {.mode = CreateMode::persistent_sequential});
    ASSERT_TRUE(seen.shows_without("bob", "no server answers"));
    seen.press({"C-c"});
    EXPECT_TRUE(seen.ended(0));
}

TEST_F(InspectTest, WatchGoesOnCountingWhileAServerIsSilent) {
    ManyLocks locks(observer, 1);
    locks.build();
    locks.come("ann");
    docent::testing::FaultProxy proxy(server.port());
    const RealTerminal seen({"inspect", "/app/lock-000", "--watch"}, proxy.connect_string(), 140, 60);
    ASSERT_TRUE(seen.shows("ann-0"));
    proxy.black_hole();
    const std::string text = "no server answers; the last known state is ";
    ASSERT_TRUE(seen.shows(text));
    std::set<int> ages;
    ASSERT_TRUE(eventually([&] {
        const std::string screen = seen.screen();
        if (const auto at = screen.find(text); at != std::string::npos) ages.insert(std::stoi(screen.substr(at + text.size())));
        return !ages.empty() && *ages.rbegin() >= *ages.begin() + 10;
    })) << seen.screen();
    EXPECT_GE(ages.size(), 4U) << "the age is shown again while a request waits";
    seen.press({"C-c"});
    EXPECT_TRUE(seen.ended(0));
}

TEST_F(InspectTest, WatchGivesTheTerminalBackWhileItIsSuspended) {
    ManyLocks locks(observer, 1);
    locks.build();
    locks.come("ann");
    const RealTerminal seen({"inspect", "/app/lock-000", "--watch"}, server.connect_string(), 140, 60,
                            RealTerminal::Jobs::controlled);
    ASSERT_TRUE(seen.shows("ann-0"));
    seen.press({"C-z"});
    ASSERT_TRUE(seen.shows("suspended"));
    EXPECT_EQ(seen.screen().find("Ctrl-C ends it"), std::string::npos) << seen.screen();
    seen.press({"Enter"});
    ASSERT_TRUE(seen.shows("Ctrl-C ends it"));
    locks.come("bob");
    ASSERT_TRUE(seen.shows("bob-0"));
    seen.press({"C-c"});
    EXPECT_TRUE(seen.shows("ended 0"));
}

TEST_F(InspectTest, OfAFolderSaysWhichAreLocks) {
    ManyLocks locks(observer, 2);
    locks.build();
    locks.come("ann");
    observer.create("/app/odd", "");
    const auto seen = terminal({"inspect", "/app"});
    ASSERT_TRUE(seen.shows("ended 0"));
    EXPECT_NE(seen.screen().find("\nlock lock-000: docent inspect /app/lock-000\n"), std::string::npos) << seen.screen();
    EXPECT_NE(seen.screen().find("\nstranger odd\n"), std::string::npos) << seen.screen();
    EXPECT_NE(seen.screen().find("docent top /app"), std::string::npos) << seen.screen();

    observer.create("/app/permits", "");
    observer.create("/app/permits/locks", "");
    observer.create("/app/permits/leases", "");
    EXPECT_EQ(run(setting({"inspect", "/app"})).output, "lock lock-000\nlock lock-001\nstranger odd\nlock permits\n");
    EXPECT_EQ(run(setting({"inspect", "/app", "--json"})).output,
              "{\"participants\":[],\"strangers\":[\"odd\"],\"locks\":[\"lock-000\",\"lock-001\",\"permits\"]}\n");
}

/// Servers remove an empty gate. Then the semaphore counts as a lock only while permits are held.
TEST_F(InspectTest, OfAFolderSaysThatASemaphoreWithoutItsGateIsALock) {
    Lease permit = InterProcessSemaphore(observer, "/app/permits", 1).acquire();
    remove_empty_gate("/app/permits");
    EXPECT_EQ(run(setting({"inspect", "/app"})).output, "lock permits\n");
    const auto inspected = run(setting({"inspect", "/app/permits"}));
    EXPECT_NE(inspected.output.find("semaphore"), std::string::npos) << inspected.output;
    permit.release();
    EXPECT_EQ(run(setting({"inspect", "/app"})).output, "stranger permits\n");
}

TEST_F(InspectTest, AMissingNodeIsReportedBesideAnAnswerThatScriptsCanRead) {
    const auto nowhere = run(setting({"inspect", "/lock", "--json"}));
    EXPECT_EQ(nowhere.status, 0);
    EXPECT_EQ(nowhere.output, "{\"participants\":[],\"strangers\":[],\"locks\":[]}\n");
    expect_one_line(nowhere.errors, "inspect /lock: there is no such node");
    observer.create("/lock", "");
    const auto nobody = run(setting({"inspect", "/lock"}));
    EXPECT_EQ(nobody.status, 0);
    EXPECT_EQ(nobody.output + nobody.errors, "");
}

TEST_F(InspectTest, ASemaphoreAtTheSamePathIsWarnedOf) {
    DocentProcess one(setting({"semaphore", "/lock", "--permits", "2"}));
    ASSERT_TRUE(has_printed_a_line(one));
    DocentProcess other(setting({"lock", "/lock"}));
    ASSERT_TRUE(has_printed_a_line(other)) << "both hold";
    EXPECT_TRUE(eventually([&] {
        return other.errors() == "docent: /lock: nodes of another kind of lock are, or were, at this path; "
                                 "locks of different kinds do not exclude each other\n";
    })) << other.errors();
    EXPECT_EQ(one.errors(), "");
    const std::string warning = "/lock: mutex and semaphore are at one path: they do not exclude each other";
    expect_outcome(run(setting({"inspect", "/lock", "--json"})), 0, warning);
    expect_one_line(run(setting({"top", "--once"})).errors, warning);
}

TEST_F(InspectTest, ASignalEndsItAndTopOnATerminalThatTakesNoOutput) {
    const std::map<std::string, Words> views{{"nobody is at /app", {"inspect", "/app", "--watch"}},
                                             {"0 locks", {"top", "/app"}}};
    for (const auto& [shown, words] : views) {
        const auto seen = terminal(words);
        ASSERT_TRUE(seen.shows(shown));
        seen.hold_output();
        seen.send(SIGTERM);
        EXPECT_TRUE(eventually([&] { return !seen.runs_docent(); }));
        seen.let_output_go_on();
        EXPECT_TRUE(seen.shows("ended 143"));
    }
}

TEST_F(InspectTest, WatchWithoutATerminalPrintsEachState) {
    DocentProcess follower(setting({"inspect", "/lock", "--watch", "--json"}));
    ASSERT_TRUE(eventually([&] { return follower.output() == "{\"participants\":[],\"strangers\":[]}\n"; }));
    observer.create("/lock", "");
    observer.create("/lock/odd", "");
    ASSERT_TRUE(eventually([&] { return follower.output().ends_with("{\"participants\":[],\"strangers\":[\"odd\"]}\n"); }))
        << follower.output();
    follower.send(SIGTERM);
    EXPECT_EQ(follower.exit_status(), 0);
    EXPECT_EQ(follower.errors(), "");
}

TEST_F(InspectTest, WatchWithoutATerminalReportsTheEndOfASilence) {
    docent::testing::FaultProxy proxy(server.port());
    DocentProcess follower(through(proxy, setting({"inspect", "/lock", "--watch", "--json", "--session-timeout", "4s"})));
    ASSERT_TRUE(eventually([&] { return !follower.output().empty(); }));
    proxy.black_hole();
    ASSERT_TRUE(says(follower, "no server answers; the last known state is "));
    proxy.heal();
    EXPECT_TRUE(eventually([&] { return follower.errors().ends_with(": a server answers again\n"); })) << follower.errors();
}

} // namespace
} // namespace docent::test
