// SPDX-License-Identifier: Apache-2.0
// The habits of users of flock(1), timeout(1) and etcdctl.
#include "cli_fixture.hpp"
#include "clients.hpp"

#include <docent/recipes/inspection.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <pwd.h>
#include <signal.h>
#include <unistd.h>

namespace docent::test {
namespace {

class HabitsTest : public CliTest {
protected:
    std::string data_of_holder() { return split_owner(observer.get(first_node()).data).data; }
};

TEST_F(HabitsTest, ShortOptionsAsFlockHasThem) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    EXPECT_EQ(run(lock({"true"}, {"-n"})).status, 75);
    EXPECT_EQ(run_connected(lock({"true"}, {"-w", "100ms"})).status, 75);
    EXPECT_EQ(run(lock({"true"}, {"-n", "-E", "7"})).status, 7);
    EXPECT_EQ(run_connected(lock({"true"}, {"-w", "100ms", "--conflict-exit-code", "0"})).status, 0);
    expect_ended_by(holder, SIGTERM);
    EXPECT_EQ(run(lock({"sh", "-c", "exit 3"}, {"-n", "-E", "7"})).status, 3);
    EXPECT_EQ(run(lock({"no-such-command"}, {"-E", "7"})).status, 127);
}

/// As `docent help tx` and docs/how-to/fence-a-write.md show it.
TEST_F(HabitsTest, AGuardedWriteFailsWithoutTheLock) {
    observer.create("/config", "before");
    const std::string guarded =
        R"(printf 'check %s\nset /config "%s"\n' "$DOCENT_LOCK_NODE" $1 | ")" + std::string(DOCENT_BINARY) + R"(" tx)";
    EXPECT_EQ(run(lock({"sh", "-c", guarded, "sh", "mine"})).status, 0);
    EXPECT_EQ(observer.get("/config").data, "mine");
    const std::string late = ignores_term + write("in", "in") + wait_for_file("go-on") + guarded + "; " + write("$?", "status");
    DocentProcess holder(lock({"sh", "-c", late, "sh", "late"}, {"--grace", "30s"}));
    ASSERT_TRUE(appears("in"));
    observer.remove(first_node());
    ASSERT_TRUE(says(holder, "its node was deleted"));
    touch("go-on");
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "status"), "1\n");
    EXPECT_EQ(observer.get("/config").data, "mine");
}

TEST(OwnParentsTest, ArePersistentIfItIsSaid) {
    docent::test::AnyServer server{{.cleanup_interval = 50ms}}; // removes empty containers at once
    Client observer = started({.connect_string = server.connect_string()});
    observer.wait_connected();
    const auto lock_once = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"--", "true"});
        DocentProcess process({.words = std::move(words), .connect = server.connect_string()});
        return process.exit_status();
    };
    EXPECT_EQ(lock_once({"lock", "/lasting/a", "--own-parents", "persistent"}), 0);
    EXPECT_EQ(lock_once({"lock", "/passing/a"}), 0);
    EXPECT_TRUE(eventually([&] { return !observer.exists("/passing"); }));
    EXPECT_TRUE(observer.exists("/lasting/a")) << "it was there before, and would have gone before";
}

TEST_F(HabitsTest, TheLabelNamesUserHostAndCommand) {
    {
        DocentProcess holder(lock({"sleep", "1000"}));
        ASSERT_TRUE(queue_reaches(1));
        const std::regex expected(".+@.+:" + std::to_string(holder.pid()) + " sleep"); // without the command's argument
        EXPECT_TRUE(std::regex_match(data_of_holder(), expected)) << data_of_holder();
    }
    ASSERT_TRUE(queue_reaches(0));
    DocentProcess holder(lock({"sleep", "1000"}, {"--label", "the nightly import"}));
    ASSERT_TRUE(queue_reaches(1));
    EXPECT_EQ(data_of_holder(), "the nightly import");
    const auto shown = run(setting({"inspect", "/lock"}));
    EXPECT_NE(shown.output.find("\"the nightly import\""), std::string::npos) << shown.output;

    DocentProcess seat(setting({"semaphore", "/seats", "--permits", "1", "--label", "a seat", "--", "sleep", "1000"}));
    ASSERT_TRUE(eventually([&] {
        error_code ec;
        return observer.children("/seats/leases", ec).names.size() == 1;
    }));
    EXPECT_EQ(split_owner(observer.get("/seats/leases/" + observer.children("/seats/leases").names.front()).data).data,
              "a seat");
}

TEST_F(HabitsTest, TheLabelNamesTheUserAlsoWithoutALogin) {
    const passwd* const user = ::getpwuid(::geteuid());
    const std::string name = user != nullptr ? user->pw_name : "uid" + std::to_string(::geteuid());
    for (const Words& login : {Words{"-u", "LOGNAME", "-u", "USER"}, {"LOGNAME=", "USER="}}) {
        auto without_login = lock({"sleep", "1000"});
        without_login.words.insert(without_login.words.begin(), DOCENT_BINARY);
        without_login.words.insert(without_login.words.begin(), login.begin(), login.end());
        without_login.program = "env";
        DocentProcess holder(without_login);
        ASSERT_TRUE(queue_reaches(1));
        EXPECT_TRUE(data_of_holder().starts_with(name + "@")) << data_of_holder();
        expect_ended_by(holder, SIGTERM);
    }
}

TEST_F(HabitsTest, AWaiterIsToldThatNoServerAnswers) {
    docent::testing::FaultProxy proxy(server.port());
    proxy.black_hole();
    auto silent = lock({"true"}, {"--verbose"});
    for (int i = 0; i < 6; ++i)
        silent.connect = proxy.connect_string() + (i > 0 ? "," + silent.connect : ""); // the command keeps trying
    DocentProcess waiter(silent);
    EXPECT_TRUE(says(waiter, "lock /lock: waiting for ")) << waiter.errors();
    EXPECT_TRUE(says(waiter, "; no ZooKeeper answers")) << waiter.errors();
    expect_ended_by(waiter, SIGTERM);
}

TEST_F(HabitsTest, AWaiterIsToldTheHolder) {
    DocentProcess holder(lock({"sleep", "1000"}, {"--label", "the import"}));
    ASSERT_TRUE(queue_reaches(1));
    DocentProcess waiter(lock({"true"}, {"--verbose"}));
    ASSERT_TRUE(says(waiter, "held by the import"));
    const std::regex expected(
        R"(docent: lock /lock: waiting for [0-9]+(ms|s), held by the import( \(its node is [0-9]+(ms|s) old\))?\n)");
    EXPECT_TRUE(std::regex_match(waiter.errors(), expected)) << waiter.errors();
    holder.send(SIGTERM);
    EXPECT_EQ(waiter.exit_status(), 0);
    EXPECT_TRUE(says(waiter, "docent: lock /lock: acquired after "));
    EXPECT_TRUE(says(waiter, "docent: lock /lock: given back\n"));
}

TEST_F(HabitsTest, AWaiterIsToldOnceOfANodeThatIsNotEphemeral) {
    observer.create("/lock", "");
    observer.create("/lock/lock-0000000000", "by hand");
    DocentProcess waiter(lock({"true"}, {"--verbose"}));
    const std::string told =
        "docent: lock /lock: the node /lock/lock-0000000000 is not ephemeral: it does not end with a session";
    ASSERT_TRUE(says(waiter, told)) << waiter.errors();
    observer.remove("/lock/lock-0000000000");
    EXPECT_EQ(waiter.exit_status(), 0);
    const std::string errors = waiter.errors();
    EXPECT_EQ(errors.find(told), errors.rfind(told));
}

TEST_F(HabitsTest, AWaiterForALockThatItRunsUnderIsToldAtOnce) {
    const auto inner = [&](const std::string& command) {
        return lock(
            {"sh", "-c", "exec \"$0\" " + command + " --connect " + server.connect_string() + " -- true", DOCENT_BINARY});
    };
    for (const std::string command : {"lock /lock", "lock --quiet /lock"}) {
        DocentProcess outer(inner(command));
        ASSERT_TRUE(says(outer, "this command runs inside it (DOCENT_OWNER), so both wait for each other: a deadlock"))
            << command;
        outer.send(SIGTERM);
        outer.exit_status();
    }
    EXPECT_EQ(run(inner("lock /other")).errors, "");
}

TEST_F(HabitsTest, AnotherSessionTimeoutThanWasAskedForIsTold) {
    EXPECT_EQ(run(lock({"true"}, {"--verbose"})).errors.find("session timeout"), std::string::npos);
    const auto shortened = run(lock({"true"}, {"--verbose", "--session-timeout", "1h"}));
    EXPECT_EQ(shortened.status, 0);
    EXPECT_NE(shortened.errors.find("the servers grant a session timeout of 10s, not the 1h that was asked for"),
              std::string::npos)
        << shortened.errors;
}

TEST_F(HabitsTest, OfSeveralThatIsToldWhichIsWaitedFor) {
    DocentProcess holder(setting({"lock", "/b", "--label", "the import"}));
    ASSERT_TRUE(has_printed_a_line(holder));
    DocentProcess waiter(setting({"lock", "/a", "/b", "--verbose", "--", "true"}));
    ASSERT_TRUE(says(waiter, "held by the import"));
    EXPECT_EQ(waiter.errors().find("lock /a: waiting"), std::string::npos) << waiter.errors();
    EXPECT_NE(waiter.errors().find("lock /b: waiting"), std::string::npos) << waiter.errors();
    expect_ended_by(waiter, SIGTERM);
}

TEST_F(HabitsTest, ALossSendsTheSignalThatIsWanted) {
    const std::string script = "trap '" + write("INT", "signal") + "exit 0' INT; " + write("in", "in") + for_ever;
    DocentProcess holder(lock_script(script, {"--signal", "INT", "--grace", "20s"}));
    ASSERT_TRUE(appears("in"));
    observer.remove(first_node());
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "signal"), "INT\n");
}

/// The guard does the same while docent is stopped.
TEST_F(HabitsTest, TheGuardDoesTheSame) {
    const std::string script = "trap '" + write("USR1", "signal") + "exit 0' USR1; " + write("in", "in") + for_ever;
    DocentProcess holder(lock_script(script, {"--signal", "SIGUSR1", "--grace", "20s"}, "5s"));
    ASSERT_TRUE(appears("in"));
    holder.send(SIGSTOP);
    EXPECT_TRUE(appears("signal"));
    EXPECT_EQ(read_file(folder / "signal"), "USR1\n");
    holder.send(SIGCONT);
    holder.exit_status();
}

} // namespace
} // namespace docent::test
