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
    DocentProcess::Setting job(const std::string& period, const std::string& then = "true") const {
        return script(period, "echo run >> " + (folder / "f").string() + "; " + then);
    }
    /// A command that ends with 0 at SIGTERM.
    DocentProcess::Setting patient_job() const {
        return script("1h", "trap 'exit 0' TERM; echo run >> " + (folder / "f").string() + "; while :; do sleep 0.02; done");
    }

    /// A command that ends at once, under a lock that is held for an hour.
    DocentProcess::Setting short_job() const {
        return lock({"sh", "-c", "echo $$ $PPID > " + (folder / "f").string()}, {"--hold-at-least", "1h"});
    }
    /// Returns true when the command has ended, the guard has reported it, and docent has handled it: then both sleep again.
    bool has_seen_the_end(const DocentProcess& holder) const {
        if (!file_appears(folder / "f")) return false;
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

private:
    DocentProcess::Setting script(const std::string& period, const std::string& text) const {
        return lock({"sh", "-c", text}, {"--once-per", period});
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
    auto verbose = job("1h");
    verbose.words.insert(verbose.words.begin() + 4, "--verbose");
    const Result result = run(verbose);
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
    auto soon_over = job("1h", "exec sleep 1000");
    soon_over.words.insert(soon_over.words.begin() + 4, {"--session-timeout", "2s"});
    DocentProcess first(soon_over);
    ASSERT_TRUE(file_appears(folder / "f"));
    DocentProcess second(job("1h"));
    ASSERT_TRUE(queue_reaches(2));
    first.send(SIGKILL);
    EXPECT_EQ(second.exit_status(), 0);
    EXPECT_EQ(run(job("1h")).status, 0);
    EXPECT_EQ(runs(), "run\nrun\n");
}

TEST_F(OncePerTest, ARunThatLosesTheLockDoesNotCount) {
    DocentProcess first(patient_job());
    ASSERT_TRUE(file_appears(folder / "f"));
    observer.remove("/lock/" + nodes().front());
    EXPECT_EQ(first.exit_status(), 76);
    EXPECT_EQ(run(job("1h")).status, 0);
    EXPECT_EQ(runs(), "run\nrun\n");
}

TEST_F(OncePerTest, ARunThatCannotBeRecordedEndsWithTheLock) {
    auto patient = job("1h", "until [ -e " + (folder / "end").string() + " ]; do sleep 0.02; done");
    patient.words.insert(patient.words.begin() + 4,
                         {"--session-timeout", "4s", "--on-lost", "echo lost > " + (folder / "lost").string()});
    DocentProcess first(patient);
    ASSERT_TRUE(file_appears(folder / "f"));
    server.kill();
    run({.words = {(folder / "end").string()}, .program = "touch"});
    EXPECT_EQ(first.exit_status(), 76);
    expect_one_line(first.errors(), "the command has succeeded, but that could not be recorded: the lock was lost");
    EXPECT_TRUE(file_appears(folder / "lost"));
}

TEST_F(OncePerTest, ARunThatIsToldToEndDoesNotCountThoughItExitsWith0) {
    DocentProcess first(patient_job());
    ASSERT_TRUE(file_appears(folder / "f"));
    first.send(SIGTERM);
    EXPECT_EQ(first.exit_status(), 0);
    expect_one_line(first.errors(), "/lock: this run does not count: docent was asked to end it");
    auto revocable = patient_job();
    revocable.words.insert(revocable.words.begin() + 2, {"--revocable", "--grace", "30s"});
    DocentProcess second(revocable);
    ASSERT_TRUE(eventually([&] { return runs() == "run\nrun\n"; }));
    EXPECT_EQ(run(setting({"revoke", "/lock/" + nodes().front()})).status, 0);
    EXPECT_EQ(second.exit_status(), 0);
    EXPECT_EQ(run(job("1h")).status, 0);
    EXPECT_EQ(runs(), "run\nrun\nrun\n");
}

TEST_F(OncePerTest, DataThatIsNoRecordIsLeftAlone) {
    observer.create("/lock.last-run", "precious");
    const Result result = run(job("1h"));
    EXPECT_EQ(result.status, 1);
    expect_one_line(result.errors, "/lock.last-run is no record of a run");
    EXPECT_EQ(observer.get("/lock.last-run").data, "precious");
    EXPECT_EQ(runs(), "");
}

TEST_F(OncePerTest, TheTextOfARecordReachesTheTerminalWithoutControlCharacters) {
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    observer.create("/lock.last-run", std::to_string(now.time_since_epoch().count()) + " \x1b[2Jsomebody");
    auto verbose = job("8784h");
    verbose.words.insert(verbose.words.begin() + 4, "--verbose");
    const Result result = run(verbose);
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
    auto job = short_job();
    job.words.insert(job.words.begin() + 2, {"--on-lost", "echo lost >> " + (folder / "lost").string()});
    DocentProcess holder(job);
    ASSERT_TRUE(has_seen_the_end(holder));
    observer.remove("/lock/" + nodes().front());
    EXPECT_EQ(holder.exit_status(), 76);
    expect_one_line(holder.errors(), "lost before it was held for as long as --hold-at-least says");
    ASSERT_TRUE(file_appears(folder / "lost"));
    EXPECT_EQ(run(lock({"true"})).status, 0);
    EXPECT_EQ(read_file(folder / "lost"), "lost\n") << "once";
}

} // namespace
} // namespace docent::test
