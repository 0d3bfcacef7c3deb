// SPDX-License-Identifier: Apache-2.0
// docent lock with several paths: it takes all locks, or none.
#include "cli_fixture.hpp"

#include <signal.h>

namespace docent::test {
namespace {

class SeveralLocksTest : public CliTest {
protected:
    DocentProcess::Setting both(std::vector<std::string> program, std::vector<std::string> options = {},
                                const std::string& command = "lock") const {
        std::vector<std::string> words{command, "/a", "/b", "--session-timeout", "10s"};
        words.insert(words.end(), options.begin(), options.end());
        if (!program.empty()) words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return setting(std::move(words));
    }
    std::vector<std::string> nodes_of(const std::string& path) {
        error_code ec;
        return observer.children(path, ec).names;
    }
    std::string token_of(const std::string& node) { return std::to_string(observer.get(node).stat.czxid); }
};

TEST_F(SeveralLocksTest, TheCommandIsToldOfEach) {
    DocentProcess holder(both({"sh", "-c",
                               "env | grep '^DOCENT_[LF]' | sort > " + (folder / "new").string() + "; mv " +
                                   (folder / "new").string() + " " + (folder / "env").string() + "; sleep 1000"}));
    ASSERT_TRUE(file_appears(folder / "env"));
    ASSERT_EQ(nodes_of("/a").size(), 1u);
    ASSERT_EQ(nodes_of("/b").size(), 1u);
    const auto a = "/a/" + nodes_of("/a").front();
    const auto b = "/b/" + nodes_of("/b").front();
    EXPECT_EQ(read_file(folder / "env"), "DOCENT_FENCING_TOKEN=" + token_of(a) + "\nDOCENT_FENCING_TOKEN_2=" + token_of(b) +
                                             "\nDOCENT_LOCK_NODE=" + a + "\nDOCENT_LOCK_NODE_2=" + b +
                                             "\nDOCENT_LOCK_PATH=/a\nDOCENT_LOCK_PATH_2=/b\n");
    EXPECT_EQ(run(setting({"lock", "/b", "-n", "--", "true"})).status, 75);
    expect_one_line(run(setting({"lock", "/c", "/b", "-n", "--", "true"})).errors, "lock /c, /b: not free: /b is held by ");
    holder.send(SIGTERM);
    EXPECT_EQ(holder.exit_status(), 128 + SIGTERM);
    EXPECT_TRUE(nodes_of("/a").empty());
    EXPECT_TRUE(nodes_of("/b").empty());
}

TEST_F(SeveralLocksTest, AllOrNothing) {
    DocentProcess holder(setting({"lock", "/b"}));
    ASSERT_TRUE(eventually([&] { return nodes_of("/b").size() == 1; }));
    for (const std::vector<std::string>& options : {std::vector<std::string>{"-n"}, {"-w", "300ms"}}) {
        const auto result = run(both({"true"}, options));
        EXPECT_EQ(result.status, 75);
        expect_one_line(result.errors, "lock /a, /b: ");
        EXPECT_TRUE(nodes_of("/a").empty());
        EXPECT_EQ(nodes_of("/b").size(), 1u);
    }
    holder.send(SIGTERM);
    EXPECT_EQ(run(both({"sh", "-c", "exit 3"})).status, 3);
}

TEST_F(SeveralLocksTest, TheLossOfOneEndsTheCommand) {
    DocentProcess holder(both({"sh", "-c", "echo in > " + (folder / "in").string() + "; exec sleep 1000"}));
    ASSERT_TRUE(file_appears(folder / "in"));
    observer.remove("/b/" + nodes_of("/b").front());
    EXPECT_EQ(holder.exit_status(), 76);
    expect_one_line(messages(holder), "lock /a, /b: the lock was lost: its node was deleted; stopping the command");
    EXPECT_TRUE(nodes_of("/a").empty());
}

TEST_F(SeveralLocksTest, TheLostLockIsNamedToTheCommandForALoss) {
    const std::string seen = (folder / "seen").string();
    DocentProcess holder(both({"sh", "-c", "echo in > " + (folder / "in").string() + "; exec sleep 1000"},
                              {"--on-lost", "echo $DOCENT_LOST_PATH $DOCENT_LOST_NODE > " + seen + "; mv " + seen + " " +
                                                (folder / "told").string()}));
    ASSERT_TRUE(file_appears(folder / "in"));
    const std::string node = "/b/" + nodes_of("/b").front();
    observer.remove(node);
    EXPECT_EQ(holder.exit_status(), 76);
    ASSERT_TRUE(file_appears(folder / "told"));
    EXPECT_EQ(read_file(folder / "told"), "/b " + node + "\n");
}

TEST_F(SeveralLocksTest, TheLossOfTheSecondLockEndsAHoldWithoutACommand) {
    DocentProcess holder(both({}));
    ASSERT_TRUE(eventually([&] { return lines_of(holder.output()).size() == 2; }));
    observer.remove("/b/" + nodes_of("/b").front());
    EXPECT_EQ(holder.exit_status(), 76);
    expect_one_line(holder.errors(), "lock /a, /b: the lock was lost: its node was deleted");
    EXPECT_TRUE(nodes_of("/a").empty());
}

TEST_F(SeveralLocksTest, NoOtherWaiterIsAdmittedWhileTheCommandOfAnExpiredHoldEnds) {
    const std::string end = (folder / "end").string();
    DocentProcess holder(both({"sh", "-c",
                               "trap 'echo term > " + (folder / "term").string() + "; until [ -e " + end +
                                   " ]; do sleep 0.02; done; exit' TERM; echo in > " + (folder / "in").string() +
                                   "; while :; do sleep 0.02; done"},
                              {"--session-timeout", "10s", "--max-hold", "2s", "--grace", "1000s"}));
    ASSERT_TRUE(file_appears(folder / "in"));
    ASSERT_TRUE(file_appears(folder / "term"));
    EXPECT_EQ(run(setting({"lock", "/a", "-n", "--", "true"})).status, 75);
    EXPECT_EQ(run(setting({"lock", "/b", "-n", "--", "true"})).status, 75);
    run({.words = {end}, .program = "touch"});
    EXPECT_EQ(holder.exit_status(), 124);
    EXPECT_EQ(run(both({"true"}, {"-n"})).status, 0);
}

TEST_F(SeveralLocksTest, ARequestForOneLockEndsTheHold) {
    DocentProcess holder(both({"sleep", "1000"}, {"--revocable"}));
    ASSERT_TRUE(eventually([&] { return nodes_of("/b").size() == 1; }));
    DocentProcess next(setting({"lock", "/b", "--", "true"}));
    ASSERT_TRUE(eventually([&] { return nodes_of("/b").size() == 2; }));
    std::string node;
    for (const auto& name : nodes_of("/b")) {
        if (node.empty() || name.substr(name.size() - 10) < node.substr(node.size() - 10)) node = name;
    }
    EXPECT_EQ(run(setting({"revoke", "/b/" + node})).status, 0);
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
    DocentProcess holder(both({}));
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
