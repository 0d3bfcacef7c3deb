// SPDX-License-Identifier: Apache-2.0
// docent lock for jobs that many machines start.
#include "cli_fixture.hpp"

#include <memory>
#include <sstream>

#include <signal.h>

namespace docent::test {
namespace {

class OncePerTest : public CliTest {
protected:
    std::string runs() const { return read_file(folder / "f"); }
    Setting job(const std::string& period, const std::string& then = "true", Words options = {}) const {
        options.insert(options.end(), {"--once-per", period});
        return lock_script("echo run >> " + file("f") + "; " + then, options);
    }
    /// A command that ends with 0 at SIGTERM.
    Setting patient_job(Words options = {}) const {
        options.insert(options.end(), {"--once-per", "1h"});
        return lock_script("trap 'exit 0' TERM; echo run >> " + file("f") + "; " + for_ever, options);
    }

    /// A command that ends at once, under a lock that is held for an hour.
    Setting short_job(Words options = {}) const {
        options.insert(options.end(), {"--hold-at-least", "1h"});
        return lock_script(write("$$ $PPID", "f"), options);
    }
    /// Returns true when the command has ended, the guard has reported it, and docent has handled it: then both sleep again.
    bool has_seen_the_end(const DocentProcess& holder) const {
        if (!appears("f")) return false;
        std::istringstream pids(runs());
        pid_t command = 0;
        pid_t guard = 0;
        pids >> command >> guard;
        const auto comes_to = [](pid_t pid, const std::string& state) {
            return eventually([&] { return stat_field(pid, 1) == state; });
        };
        return comes_to(command, "Z") && comes_to(guard, "S") &&
               comes_to(holder.pid(), "S"); // the command's entry stays in the process table until the guard ends
    }
};

TEST_F(OncePerTest, OneOfTwentyRunsItAndTheOthersAreSilent) {
    std::vector<std::unique_ptr<DocentProcess>> machines;
    for (int i = 0; i < 20; ++i) machines.push_back(std::make_unique<DocentProcess>(job("1h")));
    for (const auto& machine : machines) {
        EXPECT_EQ(machine->exit_status(), 0) << machine->errors();
        EXPECT_EQ(machine->errors(), "");
    }
    EXPECT_EQ(runs(), "run\n");
    EXPECT_EQ(run(job("1ms")).errors, "") << "the period is over";
    EXPECT_EQ(runs(), "run\nrun\n");
    EXPECT_TRUE(nodes().empty());
}

TEST_F(OncePerTest, VerboseReportsARunThatIsDone) {
    EXPECT_EQ(run(job("1h")).status, 0);
    const Result result = run(job("1h", "true", {"--verbose"}));
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.errors.find("docent: lock /lock: done already, in the run that began"), std::string::npos)
        << result.errors;
    EXPECT_EQ(runs(), "run\n");
}

TEST_F(OncePerTest, ARunThatFailsDoesNotCount) {
    EXPECT_EQ(run(job("1h", "exit 3")).status, 3);
    EXPECT_EQ(run(job("1h")).status, 0);
    EXPECT_EQ(run(job("1h")).status, 0);
    EXPECT_EQ(runs(), "run\nrun\n");
}

TEST_F(OncePerTest, ARunThatIsKilledHalfWayDoesNotCount) {
    DocentProcess first(job("1h", "exec sleep 1000", {"--session-timeout", "5s"}));
    ASSERT_TRUE(appears("f"));
    DocentProcess second(job("1h"));
    ASSERT_TRUE(queue_reaches(2));
    first.send(SIGKILL);
    EXPECT_EQ(second.exit_status(), 0);
    EXPECT_EQ(run(job("1h")).status, 0);
    EXPECT_EQ(runs(), "run\nrun\n");
}

TEST_F(OncePerTest, ARunThatLosesTheLockDoesNotCount) {
    DocentProcess first(patient_job());
    ASSERT_TRUE(appears("f"));
    observer.remove(first_node());
    EXPECT_EQ(first.exit_status(), 76);
    EXPECT_EQ(run(job("1h")).status, 0);
    EXPECT_EQ(runs(), "run\nrun\n");
}

TEST_F(OncePerTest, ARunThatCannotBeRecordedEndsWithTheLock) {
    DocentProcess first(job("1h", wait_for_file("end"), {"--on-lost", write("lost", "lost")}));
    ASSERT_TRUE(appears("f"));
    server.kill();
    touch("end");
    EXPECT_EQ(first.exit_status(), 76);
    expect_one_line(first.errors(), "the command has succeeded, but that could not be recorded: the lock was lost");
    EXPECT_TRUE(appears("lost"));
}

TEST_F(OncePerTest, ARunThatIsToldToEndDoesNotCountThoughItExitsWith0) {
    DocentProcess first(patient_job());
    ASSERT_TRUE(appears("f"));
    first.send(SIGTERM);
    EXPECT_EQ(first.exit_status(), 0);
    expect_one_line(first.errors(), "/lock: this run does not count: docent was asked to end it");
    DocentProcess second(patient_job({"--revocable", "--grace", "30s"}));
    ASSERT_TRUE(eventually([&] { return runs() == "run\nrun\n"; }));
    EXPECT_EQ(run(setting({"revoke", first_node()})).status, 0);
    EXPECT_EQ(second.exit_status(), 0);
    EXPECT_EQ(run(job("1h")).status, 0);
    EXPECT_EQ(runs(), "run\nrun\nrun\n");
}

TEST_F(OncePerTest, DataThatIsNoRecordIsLeftAlone) {
    observer.create("/lock.last-run", "precious");
    expect_outcome(run(job("1h")), 1, "/lock.last-run is no record of a run");
    EXPECT_EQ(observer.get("/lock.last-run").data, "precious");
    EXPECT_EQ(runs(), "");
}

TEST_F(OncePerTest, TheTextOfARecordReachesTheTerminalWithoutControlCharacters) {
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    observer.create("/lock.last-run", std::to_string(now.time_since_epoch().count()) + " \x1b[2Jsomebody");
    const Result result = run(job("8784h", "true", {"--verbose"}));
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.errors.find("ago, by  [2Jsomebody"), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find('\x1b'), std::string::npos);
    EXPECT_EQ(runs(), "");
}

TEST_F(OncePerTest, TheLockIsHeldAtLeastForSoLong) {
    DocentProcess holder(short_job());
    ASSERT_TRUE(has_seen_the_end(holder));
    EXPECT_EQ(run(lock({"true"}, {"--no-wait"})).status, 75);
    EXPECT_TRUE(holder.running());
    holder.send(SIGTERM);
    EXPECT_EQ(holder.exit_status(), 0) << "the command has succeeded";
    EXPECT_TRUE(nodes().empty());
    EXPECT_EQ(run(lock({"sh", "-c", "exit 3"}, {"--hold-at-least", "1ms"})).status, 3);
}

TEST_F(OncePerTest, ACommandThatCannotStartLeavesNoLock) {
    EXPECT_EQ(run(lock({"/nowhere"}, {"--hold-at-least", "8784h"})).status, 127) << "machines are not up for so long";
    EXPECT_TRUE(nodes().empty());
}

TEST_F(OncePerTest, TheLockIsLostWhileItIsHeldForLonger) {
    DocentProcess holder(short_job({"--on-lost", "echo lost >> " + file("lost")}));
    ASSERT_TRUE(has_seen_the_end(holder));
    observer.remove(first_node());
    EXPECT_EQ(holder.exit_status(), 76);
    expect_one_line(holder.errors(), "lost before it was held for as long as --hold-at-least says");
    ASSERT_TRUE(appears("lost"));
    EXPECT_EQ(run(lock({"true"})).status, 0);
    EXPECT_EQ(read_file(folder / "lost"), "lost\n") << "once";
}

} // namespace
} // namespace docent::test
