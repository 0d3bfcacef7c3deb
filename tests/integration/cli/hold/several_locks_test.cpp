// SPDX-License-Identifier: Apache-2.0
// docent lock with several paths: it takes all locks, or none.
#include "cli_fixture.hpp"

#include <signal.h>

namespace docent::test {
namespace {

class SeveralLocksTest : public CliTest {
protected:
    const Words lock_both{"lock", "/a", "/b", "--session-timeout", "10s"};

    Setting both(const Words& program, const Words& options = {}) const { return setting(lock_both, options, program); }
    Words nodes_of(const std::string& path) { return queue_at(observer, path); }
    std::string token_of(const std::string& node) { return std::to_string(observer.get(node).stat.czxid); }
};

TEST_F(SeveralLocksTest, TheCommandIsToldOfEach) {
    DocentProcess holder(both({"sh", "-c",
                               "env | grep '^DOCENT_[LF]' | sort > " + file("new") + "; mv " + file("new") + " " + file("env") +
                                   "; exec sleep 1000"}));
    ASSERT_TRUE(appears("env"));
    ASSERT_EQ(nodes_of("/a").size(), 1u);
    ASSERT_EQ(nodes_of("/b").size(), 1u);
    const auto a = "/a/" + nodes_of("/a").front();
    const auto b = "/b/" + nodes_of("/b").front();
    EXPECT_EQ(read_file(folder / "env"), "DOCENT_FENCING_TOKEN=" + token_of(a) + "\nDOCENT_FENCING_TOKEN_2=" + token_of(b) +
                                             "\nDOCENT_LOCK_NODE=" + a + "\nDOCENT_LOCK_NODE_2=" + b +
                                             "\nDOCENT_LOCK_PATH=/a\nDOCENT_LOCK_PATH_2=/b\n");
    EXPECT_EQ(run(setting({"lock", "/b", "-n", "--", "true"})).status, 75);
    expect_one_line(run(setting({"lock", "/c", "/b", "-n", "--", "true"})).errors, "lock /c, /b: not free: /b is held by ");
    expect_ended_by(holder, SIGTERM);
    EXPECT_TRUE(nodes_of("/a").empty());
    EXPECT_TRUE(nodes_of("/b").empty());
}

TEST_F(SeveralLocksTest, AllOrNothing) {
    DocentProcess holder(setting({"lock", "/b"}));
    ASSERT_TRUE(eventually([&] { return nodes_of("/b").size() == 1; }));
    for (const Words& options : {Words{"-n"}, {"-w", "300ms"}}) {
        expect_outcome(run_connected(both({"true"}, options)), 75, "lock /a, /b: ");
        EXPECT_TRUE(nodes_of("/a").empty());
        EXPECT_EQ(nodes_of("/b").size(), 1u);
    }
    holder.send(SIGTERM);
    EXPECT_EQ(run(both({"sh", "-c", "exit 3"})).status, 3);
}

TEST_F(SeveralLocksTest, TheLossOfOneEndsTheCommandAndThenReleasesTheOther) {
    const std::string script =
        "trap '" + write("term", "term") + wait_for_file("end") + "exit' TERM; " + write("in", "in") + for_ever;
    DocentProcess holder(both({"sh", "-c", script}, {"--grace", "1000s"}));
    ASSERT_TRUE(appears("in"));
    observer.remove("/b/" + nodes_of("/b").front());
    ASSERT_TRUE(appears("term"));
    EXPECT_EQ(run(setting({"lock", "/a", "-n", "--", "true"})).status, 75);
    touch("end");
    EXPECT_EQ(holder.exit_status(), 76);
    expect_one_line(messages(holder), "lock /a, /b: the lock was lost: its node was deleted; stopping the command");
    EXPECT_TRUE(nodes_of("/a").empty());
}

TEST_F(SeveralLocksTest, TheLostLockIsNamedToTheCommandForALoss) {
    const std::string seen = file("seen");
    DocentProcess holder(
        both({"sh", "-c", "echo in > " + file("in") + "; exec sleep 1000"},
             {"--on-lost", "echo $DOCENT_LOST_PATH $DOCENT_LOST_NODE > " + seen + "; mv " + seen + " " + file("told")}));
    ASSERT_TRUE(appears("in"));
    const std::string node = "/b/" + nodes_of("/b").front();
    observer.remove(node);
    EXPECT_EQ(holder.exit_status(), 76);
    ASSERT_TRUE(appears("told"));
    EXPECT_EQ(read_file(folder / "told"), "/b " + node + "\n");
}

TEST_F(SeveralLocksTest, TheLossOfTheSecondLockEndsAHoldWithoutACommand) {
    DocentProcess holder(setting(lock_both));
    ASSERT_TRUE(eventually([&] { return lines_of(holder.output()).size() == 2; }));
    observer.remove("/b/" + nodes_of("/b").front());
    EXPECT_EQ(holder.exit_status(), 76);
    expect_one_line(holder.errors(), "lock /a, /b: the lock was lost: its node was deleted");
    EXPECT_TRUE(nodes_of("/a").empty());
}

TEST_F(SeveralLocksTest, NoOtherWaiterIsAdmittedWhileTheCommandOfAnExpiredHoldEnds) {
    const std::string script =
        "trap '" + write("term", "term") + wait_for_file("end") + "exit' TERM; " + write("in", "in") + for_ever;
    DocentProcess holder(both({"sh", "-c", script}, {"--max-hold", "4s", "--grace", "1000s"}));
    ASSERT_TRUE(appears("in"));
    ASSERT_TRUE(appears("term"));
    EXPECT_EQ(run(setting({"lock", "/a", "-n", "--", "true"})).status, 75);
    EXPECT_EQ(run(setting({"lock", "/b", "-n", "--", "true"})).status, 75);
    touch("end");
    EXPECT_EQ(holder.exit_status(), 124);
    EXPECT_EQ(run(both({"true"}, {"-n"})).status, 0);
}

TEST_F(SeveralLocksTest, ARequestForOneLockEndsTheHold) {
    DocentProcess holder(both({"sleep", "1000"}, {"--revocable"}));
    ASSERT_TRUE(eventually([&] { return nodes_of("/b").size() == 1; }));
    DocentProcess next(setting({"lock", "/b", "--", "true"}));
    ASSERT_TRUE(eventually([&] { return nodes_of("/b").size() == 2; }));
    EXPECT_EQ(run(setting({"revoke", "/b/" + nodes_of("/b").front()})).status, 0);
    EXPECT_EQ(holder.exit_status(), 128 + SIGTERM);
    EXPECT_EQ(next.exit_status(), 0);
}

TEST_F(SeveralLocksTest, OppositeOrdersAndSidesDoNotWaitForEachOther) {
    const auto job = [&](const std::string& command, const std::string& first, const std::string& second) {
        return setting({command, first, second, "--", "true"});
    };
    std::vector<std::unique_ptr<DocentProcess>> all;
    for (int i = 0; i < 4; ++i) {
        all.push_back(std::make_unique<DocentProcess>(job("write-lock", "/a", "/b")));
        all.push_back(std::make_unique<DocentProcess>(job("read-lock", "/b", "/a")));
    }
    for (auto& each : all) EXPECT_EQ(each->exit_status(), 0) << each->errors();
}

TEST_F(SeveralLocksTest, WithoutACommandEachIsPrinted) {
    DocentProcess holder(setting(lock_both));
    ASSERT_TRUE(eventually([&] { return lines_of(holder.output()).size() == 2; }));
    const auto a = "/a/" + nodes_of("/a").front();
    const auto b = "/b/" + nodes_of("/b").front();
    EXPECT_EQ(holder.output(), a + " " + token_of(a) + "\n" + b + " " + token_of(b) + "\n");
    holder.send(SIGINT);
    EXPECT_EQ(holder.exit_status(), 0);
    EXPECT_TRUE(nodes_of("/a").empty());
}

} // namespace
} // namespace docent::test
