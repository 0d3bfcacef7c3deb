// SPDX-License-Identifier: Apache-2.0
// docent top in a terminal, with fifty locks that change meanwhile.
#include "cli_fixture.hpp"
#include "view/many_locks.hpp"
#include "view/real_terminal.hpp"

#include <docent/recipes/inter_process_semaphore.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <signal.h>

namespace docent::test {
namespace {

class TopTest : public CliTest {
protected:
    RealTerminal top(Words more = {}) const {
        more.insert(more.begin(), {"top", "/app"});
        return RealTerminal(more, server.connect_string(), 140, 60);
    }
    /// Returns true if there are so many lines of locks and each contains this text.
    static bool all_lines_say(const RealTerminal& terminal, std::size_t count, const std::string& text) {
        const auto say_so = [&] {
            std::size_t found = 0;
            for (const auto& line : lines_of(terminal.screen())) {
                if (line.starts_with("/app/lock-") && line.find(text) != std::string::npos) ++found;
            }
            return found == count;
        };
        return eventually(say_so, 90s, 50ms);
    }
};

TEST_F(TopTest, FiftyLocksThatChange) {
    ManyLocks locks(observer, 50);
    locks.build();
    locks.come("first");
    const auto seen = top();
    ASSERT_TRUE(seen.shows("50 locks, 0 waiting"));
    EXPECT_TRUE(all_lines_say(seen, 50, "  first-")) << seen.screen();
    locks.come("second");
    ASSERT_TRUE(seen.shows("50 locks, 50 waiting"));
    for (int turn = 0; turn < 5; ++turn) { // the locks change faster than top reads
        locks.leave();
        locks.come("turn" + std::to_string(turn));
    }
    ASSERT_TRUE(all_lines_say(seen, 50, "  turn3-")) << seen.screen();
    EXPECT_TRUE(all_lines_say(seen, 50, " 1/1     1  ")) << seen.screen();
    locks.leave();
    locks.leave();
    ASSERT_TRUE(seen.shows("50 locks, 0 waiting"));
    EXPECT_TRUE(all_lines_say(seen, 50, "  free ")) << seen.screen();

    observer.remove(ManyLocks::path(7)); // some locks disappear and some appear
    ASSERT_TRUE(seen.shows("49 locks"));
    EXPECT_EQ(seen.screen().find("/app/lock-007"), std::string::npos) << seen.screen();
    observer.create("/app/deeper/new/lock-", "newcomer",
                    {.mode = CreateMode::persistent_sequential, .parents = Parents::persistent});
    ASSERT_TRUE(seen.shows("/app/deeper/new"));
    EXPECT_TRUE(seen.shows("newcomer"));
    seen.press({"q"});
    EXPECT_TRUE(seen.ended(0));
}

TEST_F(TopTest, KeysOpenAQueueFilterSortAndAsk) {
    ManyLocks locks(observer, 3);
    locks.build();
    locks.come("ann");
    locks.come("bob");
    const auto seen = top();
    ASSERT_TRUE(seen.shows("3 locks, 3 waiting"));
    seen.press({"Down", "Enter"});
    ASSERT_TRUE(seen.shows("the queue of /app/lock-001"));
    EXPECT_TRUE(seen.shows("bob-1"));
    EXPECT_TRUE(seen.shows("waits for 0"));
    observer.remove(locks.first(1));
    ASSERT_TRUE(eventually([&] { return seen.screen().find("ann-1") == std::string::npos; }, 60s, 50ms)) << seen.screen();
    seen.press({"Escape"});
    ASSERT_TRUE(seen.shows("3 locks, 2 waiting"));
    seen.press({"/"});
    ASSERT_TRUE(seen.shows("show only lines with:"));
    seen.press({"l", "o", "c", "k", "-", "0", "0", "2", "Enter"});
    ASSERT_TRUE(seen.shows("1 lock, 1 waiting   by path   with lock-002"));
    seen.press({"s"});
    ASSERT_TRUE(seen.shows("by waiters"));
    seen.press({"r"});
    ASSERT_TRUE(seen.shows("y/n: ask ann-2 to give up"));
    seen.press({"y"});
    ASSERT_TRUE(seen.shows("asked for _c_"));
    EXPECT_EQ(observer.get(locks.first(2)).data, "__REVOKE__\nann-2");
    seen.press({"h"});
    ASSERT_TRUE(seen.shows("any key: back"));
    seen.press({"x"});
    seen.resize(60, 12);
    ASSERT_TRUE(eventually([&] { return lines_of(seen.screen()).size() == 12; }, 60s, 50ms));
    ASSERT_TRUE(seen.shows("q quit"));
    seen.press({"C-c"});
    EXPECT_TRUE(seen.ended(0));
}

TEST_F(TopTest, AResizeIsNoKey) {
    ManyLocks locks(observer, 1);
    locks.build();
    locks.come("ann");
    const auto seen = top();
    ASSERT_TRUE(seen.shows("1 lock, 0 waiting"));
    const auto shows_in_a_screen_of = [&](int lines, const std::string& last_line) {
        seen.resize(140, lines);
        const auto drawn = [&] {
            const auto shown = lines_of(seen.screen());
            return shown.size() == static_cast<std::size_t>(lines) && shown.back().starts_with(last_line);
        };
        return eventually(drawn, 60s, 50ms);
    };
    seen.press({"h"});
    ASSERT_TRUE(seen.shows("any key: back"));
    ASSERT_TRUE(shows_in_a_screen_of(65, "any key: back")) << seen.screen();
    seen.press({"Enter"}); // closes the help only
    ASSERT_TRUE(seen.shows("Enter queue")) << "not the queue of the chosen line";
    seen.press({"r"});
    ASSERT_TRUE(seen.shows("y/n: ask ann-0 to give up"));
    ASSERT_TRUE(shows_in_a_screen_of(70, "y/n: ask ann-0 to give up")) << seen.screen();
    seen.press({"y"});
    EXPECT_TRUE(seen.shows("asked for _c_"));
    EXPECT_EQ(observer.get(locks.first(0)).data, "__REVOKE__\nann-0");
}

TEST_F(TopTest, AllKindsOfLocks) {
    observer.create("/app");
    InterProcessSemaphore semaphore(observer, "/app/permits", 3);
    const Lease one = semaphore.acquire();
    const Lease two = semaphore.acquire();
    observer.create("/app/rw/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-__READ__", "reader",
                    {.mode = CreateMode::persistent_sequential, .parents = Parents::persistent});
    observer.create("/app/leader/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-latch-", "captain",
                    {.mode = CreateMode::persistent_sequential, .parents = Parents::persistent});
    observer.create("/app/leader/odd");
    const auto result = run(setting({"top", "/app", "--once"}));
    EXPECT_EQ(result.status, 0) << result.errors;
    const auto lines = lines_of(result.output);
    ASSERT_EQ(lines.size(), 4U) << result.output;
    EXPECT_EQ(lines[0].find("LOCK"), 0U);
    EXPECT_NE(lines[1].find(" leader "), std::string::npos) << lines[1];
    EXPECT_NE(lines[1].find(" 1/1 "), std::string::npos) << lines[1];
    EXPECT_NE(lines[1].find("  1  captain"), std::string::npos) << "a stranger";
    EXPECT_NE(lines[2].find(" semaphore "), std::string::npos) << lines[2];
    EXPECT_NE(lines[2].find(" 2/- "), std::string::npos) << lines[2];
    EXPECT_NE(lines[3].find(" read "), std::string::npos) << lines[3];

    const auto json = run(setting({"top", "/app", "--json"}));
    EXPECT_EQ(json.output.find(R"({"locks":[{"path":"/app/leader","kind":"leader","holders":1,"limit":1,"waiters":0,)"), 0U)
        << json.output;
    EXPECT_NE(json.output.find(R"("path":"/app/permits","kind":"semaphore","holders":2,"limit":null,)"), std::string::npos);
    EXPECT_EQ(run(setting({"top", "/nowhere", "--json"})).output, "{\"locks\":[]}\n");
    EXPECT_NE(run(setting({"top", "/app", "--once", "--max-nodes", "2"})).errors.find("left out"), std::string::npos);
}

TEST_F(TopTest, WaitsForAPathAndForServers) {
    const auto seen = top({"--session-timeout", "2s"});
    ASSERT_TRUE(seen.shows("there is no such node yet"));
    ManyLocks locks(observer, 2);
    locks.build();
    locks.come("ann");
    ASSERT_TRUE(seen.shows("2 locks, 0 waiting"));
    server.stop();
    ASSERT_TRUE(seen.shows("no server answers"));
    EXPECT_NE(seen.screen().find("/app/lock-001"), std::string::npos) << "what was there before";
    EXPECT_TRUE(seen.shows(" s old: no server answers")) << seen.screen();
    server.start();
    for (int i = 0; i < 2; ++i)
        observer.create(ManyLocks::path(static_cast<std::size_t>(i)) + "/lock-", "later",
                        {.mode = CreateMode::persistent_sequential});
    ASSERT_TRUE(seen.shows_without("2 locks, 2 waiting", "no server"));
    seen.press({"q"});
    EXPECT_TRUE(seen.ended(0));
}

TEST_F(TopTest, GoesOnInANewSession) {
    ManyLocks locks(observer, 2);
    locks.build();
    locks.come("ann");
    docent::testing::FaultProxy proxy(server.port());
    const RealTerminal seen({"top", "/app", "--session-timeout", "2s"}, proxy.connect_string(), 140, 60);
    ASSERT_TRUE(seen.shows("2 locks, 0 waiting"));
    const auto sessions = server.metric("zk_global_sessions");
    proxy.black_hole();
    ASSERT_TRUE(seen.shows("no server answers"));
    ASSERT_TRUE(eventually([&] { return server.metric("zk_global_sessions") < sessions; })) << "it has expired";
    locks.come("bob");
    proxy.heal();
    ASSERT_TRUE(seen.shows_without("2 locks, 2 waiting", "no server answers"));
    seen.press({"q"});
    EXPECT_TRUE(seen.ended(0));
}

TEST_F(TopTest, SignalsEndIt) {
    for (const int signal : {SIGTERM, SIGHUP, SIGQUIT}) {
        const auto seen = top();
        ASSERT_TRUE(seen.shows("0 locks"));
        seen.send(signal);
        EXPECT_TRUE(seen.ended(0));
    }
}

TEST_F(TopTest, WithoutATerminalItNamesOnce) {
    expect_outcome(run(setting({"top"})), 64, "docent top --once");
    for (const char* name : {"", "no-such-terminal", "dumb"}) {
        const std::string command = std::string("TERM='") + name + "' '" DOCENT_BINARY "' top; echo ended $?";
        const auto wanted = setting({"-qec", command, "/dev/null"});
        const auto result = run({.words = wanted.words, .connect = wanted.connect, .program = "script"});
        EXPECT_NE(result.output.find("docent top --once"), std::string::npos) << result.output;
        EXPECT_NE(result.output.find("ended 64"), std::string::npos) << result.output;
    }
    expect_outcome(run(setting({"top", "/nowhere", "--once"})), 0, "top /nowhere: there is no such node");
    server.stop();
    EXPECT_EQ(run(setting({"top", "--once"})).status, 69);
}

} // namespace
} // namespace docent::test
