// SPDX-License-Identifier: Apache-2.0
// docent revoke.
#include "cli_fixture.hpp"

#include <signal.h>

namespace docent::test {
namespace {

class RevokeTest : public CliTest {
protected:
    Result revoke(const std::string& node) const { return run(setting({"revoke", node})); }
    std::string first_node() { return "/lock/" + nodes().front(); }
};

TEST_F(RevokeTest, WritesTheRequestAndSaysNothing) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    const auto result = revoke(first_node());
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output + result.errors, "");
    EXPECT_EQ(observer.get(first_node()).data, "__REVOKE__");
    EXPECT_TRUE(holder.running()) << "it was not made to listen";
}

TEST_F(RevokeTest, RefusesWhatIsNoLocksNode) {
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

} // namespace
} // namespace docent::test
