// SPDX-License-Identifier: Apache-2.0
// docent revoke, and docent lock --revocable.
#include "cli_fixture.hpp"
#include "view/real_terminal.hpp"

#include <signal.h>

namespace docent::test {
namespace {

class RevokeTest : public CliTest {
protected:
    Result revoke(const std::string& node) const { return run(setting({"revoke", node})); }
    /// Expects that docent revoke names the node that it has asked.
    void expect_revoked(const std::string& node) const {
        const auto result = revoke(node);
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(result.errors, "");
        EXPECT_EQ(result.output.rfind("asked ", 0), 0u) << result.output;
        EXPECT_TRUE(result.output.ends_with(" to give up " + node + "; it is up to that process\n")) << result.output;
    }
};

TEST_F(RevokeTest, KeepsTheLabelBehindTheRequest) {
    DocentProcess holder(lock({"sleep", "1000"}, {"--label", "root@a:4711 sleep"}));
    ASSERT_TRUE(queue_reaches(1));
    const std::string before = observer.get(first_node()).data;
    EXPECT_EQ(run(setting({"revoke", "--force", first_node()})).output,
              "asked root@a:4711 sleep to give up " + first_node() + "; it is up to that process\n");
    EXPECT_EQ(run(setting({"revoke", "--force", first_node()})).output,
              "asked again to give up " + first_node() + ", as somebody has before; it is up to that process\n");
    EXPECT_EQ(observer.get(first_node()).data, "__REVOKE__\n" + before);
    const std::string inspected = run(setting({"inspect", "/lock"})).output;
    EXPECT_NE(inspected.find("root@a:4711 sleep"), std::string::npos) << inspected;
    EXPECT_TRUE(holder.running()) << "it was not made to listen";
}

TEST_F(RevokeTest, AHolderThatIsNotKnownToListenIsNotAskedWithoutForce) {
    DocentProcess holder(lock({"sleep", "1000"}, {"--label", "root@a:4711 sleep"}));
    ASSERT_TRUE(queue_reaches(1));
    const std::string before = observer.get(first_node()).data;
    const auto result = revoke(first_node());
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output, "");
    expect_one_line(result.errors,
                    "held by root@a:4711 sleep; it is not known to listen; nothing was written (--force asks it)");
    EXPECT_EQ(observer.get(first_node()).data, before);
}

TEST_F(RevokeTest, OnATerminalAHolderThatIsNotKnownToListenIsAskedAfterAYes) {
    DocentProcess holder(lock({"sleep", "1000"}, {"--label", "root@a:4711 sleep"}));
    ASSERT_TRUE(queue_reaches(1));
    const std::string node = first_node();
    const std::string before = observer.get(node).data;
    for (const std::string answer : {"n", "y"}) {
        const RealTerminal seen({"revoke", node}, server.connect_string(), 240, 30);
        ASSERT_TRUE(seen.shows("held by root@a:4711 sleep; it is not known to listen. Ask it? [y/N]"));
        EXPECT_EQ(observer.get(node).data, before);
        seen.press({answer, "Enter"});
        EXPECT_TRUE(seen.shows(answer == "y" ? "ended 0" : "ended 1"));
    }
    EXPECT_EQ(observer.get(node).data, "__REVOKE__\n" + before);
}

TEST_F(RevokeTest, RefusesAPathThatIsNoNodeOfALock) {
    observer.create("/config", "precious");
    const auto other = revoke("/config");
    EXPECT_EQ(other.status, 64);
    EXPECT_EQ(other.output, "");
    expect_one_line(other.errors, "'/config' is not the node of a lock; docent inspect PATH shows the nodes");
    EXPECT_EQ(observer.get("/config").data, "precious");
    const auto gone = revoke("/lock/_c_0f3a-lock-0000000001");
    EXPECT_EQ(gone.status, 1);
    expect_one_line(gone.errors, "revoke /lock/_c_0f3a-lock-0000000001: ");
}

TEST_F(RevokeTest, EndsTheCommandAndLetsTheNextOneIn) {
    DocentProcess holder(lock(goes_on(), {"--revocable"}));
    ASSERT_TRUE(appears("pid"));
    DocentProcess next(lock({"sh", "-c", write("in", "next")}));
    ASSERT_TRUE(queue_reaches(2));
    expect_revoked(first_node());
    EXPECT_EQ(holder.exit_status(), 128 + SIGTERM);
    EXPECT_FALSE(is_alive(pid_in("pid")));
    expect_one_line(holder.errors(), "lock /lock: another client asks for the lock; stopping the command");
    EXPECT_EQ(next.exit_status(), 0);
    EXPECT_EQ(read_file(folder / "next"), "in\n");
}

/// While a process that was started under the lock is alive, no other client is admitted.
TEST_F(RevokeTest, ACommandThatIgnoresTermIsKilledAfterTheGraceAndBeforeTheRelease) {
    const std::string stubborn = "sh -c \"" + (ignores_term + write("\\$\\$", "child")) + for_ever + "\" & ";
    DocentProcess holder(lock_script(stubborn + write("$$", "pid") + "wait", {"--revocable", "--grace", "700ms"}));
    ASSERT_TRUE(appears("child"));
    ASSERT_TRUE(appears("pid"));
    const pid_t child = pid_in("child");
    DocentProcess next(lock({"sh", "-c", "! grep -q 'State:.[RSDT]' /proc/" + std::to_string(child) + "/status"}));
    ASSERT_TRUE(queue_reaches(2));
    const auto asked = steady_clock::now();
    expect_revoked(first_node());
    EXPECT_EQ(holder.exit_status(), 128 + SIGTERM);
    EXPECT_GE(steady_clock::now() - asked, 700ms);
    EXPECT_FALSE(is_alive(child));
    EXPECT_EQ(next.exit_status(), 0) << "the child was still there";
}

/// docent sends SIGTERM to the command first, and then searches for its other processes. The search takes longer than the
/// grace.
TEST_F(RevokeTest, TheCommandIsAskedBeforeItIsKilledHoweverShortTheGrace) {
    DocentProcess holder(lock({"sleep", "1000"}, {"--revocable", "--grace", "1ms"}));
    ASSERT_TRUE(queue_reaches(1));
    expect_revoked(first_node());
    EXPECT_EQ(holder.exit_status(), 128 + SIGTERM);
}

TEST_F(RevokeTest, ReadersAndWriters) {
    for (const char* side : {"read-lock", "write-lock"}) {
        DocentProcess holder(setting({side, "/lock", "--revocable", "--", "sleep", "1000"}));
        ASSERT_TRUE(queue_reaches(1));
        expect_revoked(first_node());
        EXPECT_EQ(holder.exit_status(), 128 + SIGTERM) << side;
        EXPECT_TRUE(queue_reaches(0));
    }
}

} // namespace
} // namespace docent::test
