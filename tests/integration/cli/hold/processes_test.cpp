// SPDX-License-Identifier: Apache-2.0
// docent lock and the processes that CMD starts: all of them end with the lock, and no other processes do. This holds whether
// docent may make a cgroup for CMD or not.
#include "cli_fixture.hpp"

#include "processes/test_cgroup.hpp"

#include <filesystem>
#include <string>

#include <signal.h>
#include <unistd.h>

namespace docent::test {
namespace {

/// Docent may make a cgroup for CMD if it is started in a cgroup that is delegated to it.
enum class Cgroup { none, delegated };

class ProcessesTest : public CliTest, public ::testing::WithParamInterface<Cgroup> {
protected:
    void SetUp() override {
        CliTest::SetUp();
        group = make_test_cgroup();
        if (GetParam() == Cgroup::none) return;
        if (group.empty()) return skip_without_cgroup();
        delegate_cgroup(group);
    }
    void TearDown() override {
        if (group.empty()) return;
        EXPECT_TRUE(remove_test_cgroup(group)) << "something is left in " << group;
    }

    /// docent lock around a script, started in the test's cgroup.
    Setting script(const std::string& text, const Words& options = {}) const {
        const std::string enter = group.empty() ? "" : "echo $$ > " + group + "/cgroup.procs; ";
        return in_shell(lock_script(text, options), enter + "exec \"$0\" \"$@\"");
    }
    /// Checks that CMD runs in a new cgroup, and remembers it: the cgroup must be removed at the end.
    void expect_own_cgroup(pid_t command) {
        const std::string found = cgroup_of(command);
        EXPECT_EQ(found.starts_with(group + "/docent-"), GetParam() == Cgroup::delegated) << found;
    }

    const std::string stray = DOCENT_STRAY_PROGRAM " " + file("stray") + "; ";
    const std::string leaderless = DOCENT_STRAY_PROGRAM " " + file("stray") + " leaderless; ";
    const std::string works = write("$$", "pid") + for_ever;
    std::string group; // the test's cgroup; empty if it may have none
};

TEST_P(ProcessesTest, AStrayGoesWithTheLock) {
    DocentProcess holder(script(stray + works, {"--grace", "200ms"}));
    ASSERT_TRUE(appears("stray") && appears("pid"));
    expect_own_cgroup(pid_in("pid"));
    expect_loss_ends(holder, {"pid", "stray"});
}

TEST_P(ProcessesTest, AProcessWhoseFirstThreadHasEndedEndsWithTheLock) {
    DocentProcess holder(script(leaderless + works, {"--grace", "200ms"}));
    ASSERT_TRUE(appears("stray"));
    ASSERT_TRUE(eventually([&] { return stat_field(pid_in("stray"), 1) == "Z"; }));
    expect_loss_ends(holder, {"pid", "stray"});
    ::kill(pid_in("stray"), SIGKILL);
}

TEST_P(ProcessesTest, AStrayGoesWhenDocentIsKilled) {
    DocentProcess holder(script(leaderless + works));
    ASSERT_TRUE(appears("stray") && appears("pid"));
    holder.send(SIGKILL);
    EXPECT_TRUE(ends(pid_in("stray")));
    EXPECT_TRUE(ends(pid_in("pid")));
    ::kill(pid_in("stray"), SIGKILL);
}

TEST_P(ProcessesTest, AStrayGoesWhenTheGuardIsKilled) {
    DocentProcess holder(script(leaderless + works));
    ASSERT_TRUE(appears("stray") && appears("pid"));
    ::kill(parent_of(pid_in("pid")), SIGKILL);
    EXPECT_EQ(holder.exit_status(), 128 + SIGKILL);
    EXPECT_FALSE(is_alive(pid_in("pid")) || is_alive(pid_in("stray")));
    EXPECT_TRUE(nodes().empty());
    expect_one_line(holder.errors(), "guard");
    ::kill(pid_in("stray"), SIGKILL);
}

TEST_P(ProcessesTest, ADocentThatIsKilledWhileItWaitsLeavesNothing) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    DocentProcess waiter(script("true"));
    ASSERT_TRUE(queue_reaches(2));
    waiter.send(SIGKILL); // TearDown() checks for processes
}

TEST_P(ProcessesTest, ProcessesThatACommandLeavesGoOn) {
    DocentProcess holder(script("setsid sleep 1000 > /dev/null 2>&1 & " + write("$!", "left")));
    EXPECT_EQ(holder.exit_status(), 0);
    const pid_t left = pid_in("left");
    EXPECT_TRUE(is_alive(left));
    EXPECT_TRUE(group.empty() || cgroup_of(left) == group) << "where it would be without docent";
    ::kill(left, SIGKILL);
}

TEST_P(ProcessesTest, AProcessThatMovesToAnotherCgroupEndsToo) {
    if (group.empty()) return skip_without_cgroup();
    DocentProcess holder(script(stray + works, {"--grace", "200ms"}));
    ASSERT_TRUE(appears("stray"));
    ASSERT_TRUE(move_to_cgroup(pid_in("stray"), group));
    expect_loss_ends(holder, {"pid", "stray"});
}

TEST_P(ProcessesTest, ADocentBelowAnotherOneGoesWithIt) {
    const std::string inner = DOCENT_BINARY " lock /inner -- sh -c '" + stray + works + "'";
    DocentProcess holder(script(inner, {"--grace", "1s"}));
    ASSERT_TRUE(appears("stray") && appears("pid"));
    expect_own_cgroup(pid_in("pid"));
    holder.send(SIGKILL);
    EXPECT_TRUE(ends(pid_in("stray")));
    EXPECT_TRUE(ends(pid_in("pid")));
}

INSTANTIATE_TEST_SUITE_P(Each, ProcessesTest, ::testing::Values(Cgroup::none, Cgroup::delegated),
                         [](const auto& cgroup) { return cgroup.param == Cgroup::none ? "WithoutCgroup" : "WithCgroup"; });

class ForeignProcTest : public CliTest {
protected:
    /// Runs docent by `unshare` with these options; in a new user namespace, unless the tests run as root.
    Result run_in(const Words& options, const std::string& before) const {
        return run_in(options, before, lock({"touch", file("ran")}));
    }
    static Result run_in(Words options, const std::string& before, Setting wanted) {
        options.insert(options.begin(), "--propagation=unchanged"); // in a chroot the propagation of / cannot be changed
        if (::geteuid() != 0) options.insert(options.begin(), "-r");
        options.insert(options.end(), {"sh", "-c", before + "exec \"$0\" \"$@\"", DOCENT_BINARY});
        wanted.words.insert(wanted.words.begin(), options.begin(), options.end());
        wanted.program = "unshare";
        return run(wanted);
    }
    void expect_refusal(const Result& result) const {
        EXPECT_EQ(result.status, 1) << result.errors;
        std::string ours;
        for (const auto& line : lines_of(result.errors)) {
            if (line.starts_with("docent: ")) ours += line + '\n'; // leaves out a sanitizer's message that /proc is missing
        }
        expect_one_line(ours, "mount -t proc proc /proc");
        EXPECT_FALSE(std::filesystem::exists(folder / "ran"));
    }
};

TEST_F(ForeignProcTest, AnEmptyProcIsRefusedAtTheStart) {
    expect_refusal(run_in({"-m"}, "mount --make-rprivate /proc; mount -t tmpfs none /proc; "));
}

TEST_F(ForeignProcTest, TheProcOfAnotherPidNamespaceIsRefusedAtTheStart) {
    expect_refusal(run_in({"-p", "-f"}, ""));
}

/// A partition without a usable /proc would take items and keep them without running anything.
TEST_F(ForeignProcTest, APartitionIsRefusedBeforeItTakesItems) {
    const auto partition = setting({"partition", "/part"}, {"--items", "2", "--join-delay", "0s"}, {"touch", file("ran")});
    expect_refusal(run_in({"-p", "-f"}, "", partition));
    EXPECT_FALSE(observer.exists("/part"));
}

TEST_F(ForeignProcTest, TheProcOfAPidNamespaceOfItsOwnIsAsGoodAsAny) {
    const auto result = run_in({"-p", "-f", "--mount-proc"}, "");
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_TRUE(std::filesystem::exists(folder / "ran"));
}

} // namespace
} // namespace docent::test
