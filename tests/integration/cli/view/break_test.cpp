// SPDX-License-Identifier: Apache-2.0
// docent break: shows the holder, asks, and removes only that holder's node.
#include "cli_fixture.hpp"
#include "view/many_locks.hpp"
#include "view/real_terminal.hpp"

namespace docent::test {
namespace {

class BreakTest : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        locks.build();
        locks.come("ann");
        locks.come("bob");
    }
    ManyLocks locks{observer, 1};
};

TEST_F(BreakTest, ShowsTheHolderAndAsks) {
    const std::string node = locks.first(0);
    const RealTerminal seen({"break", node}, server.connect_string(), 140, 30);
    ASSERT_TRUE(seen.shows("Remove it? [y/N]"));
    EXPECT_TRUE(seen.shows("  label    ann-0"));
    EXPECT_TRUE(seen.shows("  state    holds; 1 waits there"));
    EXPECT_TRUE(observer.exists(node).has_value());
    seen.press({"y", "Enter"});
    EXPECT_TRUE(seen.shows("ended 0"));
    EXPECT_FALSE(observer.exists(node).has_value());
    EXPECT_EQ(observer.children("/app/lock-000").names.size(), 1U);
}

TEST_F(BreakTest, WithoutAYesNothingIsRemoved) {
    const RealTerminal seen({"break", locks.first(0)}, server.connect_string(), 140, 30);
    ASSERT_TRUE(seen.shows("Remove it? [y/N]"));
    seen.press({"Enter"});
    EXPECT_TRUE(seen.shows("nothing was removed"));
    EXPECT_TRUE(seen.shows("ended 1"));
    EXPECT_EQ(observer.children("/app/lock-000").names.size(), 2U);
}

TEST_F(BreakTest, AHolderThatIsGoneMeanwhileIsReported) {
    const std::string node = locks.first(0);
    const RealTerminal seen({"break", node}, server.connect_string(), 140, 30);
    ASSERT_TRUE(seen.shows("Remove it? [y/N]"));
    observer.remove(node);
    observer.create(node, "another one of the same name");
    seen.press({"y", "Enter"});
    EXPECT_TRUE(seen.shows("it has gone meanwhile"));
    EXPECT_TRUE(seen.shows("ended 1"));
    EXPECT_TRUE(observer.exists(node).has_value());
}

TEST_F(BreakTest, ANewHolderMeanwhileIsAskedAboutAgain) {
    const std::string node = locks.last(0);
    const RealTerminal seen({"break", node}, server.connect_string(), 140, 30);
    ASSERT_TRUE(seen.shows("  state    waits for 0"));
    ASSERT_TRUE(seen.shows("Remove it? [y/N]"));
    observer.remove(locks.first(0));
    seen.press({"y", "Enter"});
    ASSERT_TRUE(seen.shows("it holds by now"));
    EXPECT_TRUE(seen.shows("  state    holds"));
    EXPECT_TRUE(observer.exists(node).has_value());
    seen.press({"n", "Enter"});
    EXPECT_TRUE(seen.shows("ended 1"));
    EXPECT_TRUE(observer.exists(node).has_value());
}

TEST_F(BreakTest, AHolderThatWasAskedMeanwhileIsTheSame) {
    const std::string node = locks.first(0);
    const RealTerminal seen({"break", node}, server.connect_string(), 140, 30);
    ASSERT_TRUE(seen.shows("Remove it? [y/N]"));
    EXPECT_EQ(run(setting({"revoke", "--force", node})).status, 0);
    seen.press({"y", "Enter"});
    EXPECT_TRUE(seen.shows("ended 0"));
    EXPECT_FALSE(observer.exists(node).has_value());
}

TEST_F(BreakTest, WithoutATerminalItWantsAYes) {
    const std::string node = locks.first(0);
    expect_outcome(run(setting({"break", node})), 64, "--yes");
    observer.create("/app/config", "precious");
    EXPECT_EQ(run(setting({"break", "/app/config", "--yes"})).status, 64);
    EXPECT_TRUE(observer.exists("/app/config")) << "it is no node of a recipe";
    const auto done = run(setting({"break", node, "--yes"}));
    EXPECT_EQ(done.status, 0) << done.errors;
    EXPECT_NE(done.output.find("  label    ann-0\n"), std::string::npos) << done.output;
    EXPECT_NE(done.output.find("\nremoved\n"), std::string::npos) << done.output;
    const auto again = run(setting({"break", node, "--yes"}));
    EXPECT_EQ(again.status, 1);
    EXPECT_EQ(observer.children("/app/lock-000").names.size(), 1U);
}

TEST_F(BreakTest, AHolderIsToldAndANextOneComes) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    DocentProcess waiter(lock({"true"}));
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_EQ(run(setting({"break", first_node(), "-y"})).status, 0);
    EXPECT_EQ(waiter.exit_status(), 0);
    EXPECT_EQ(holder.exit_status(), 76);
}

} // namespace
} // namespace docent::test
