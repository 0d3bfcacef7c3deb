// SPDX-License-Identifier: Apache-2.0
#include "client/core/connected_operation.hpp"
#include "fake_mutex.hpp"

#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace docent::detail {
namespace {

/// A client whose connection has just broken.
class ConnectionWaitTest : public FakeMutexTest {
protected:
    std::vector<error_code> ends;

    void SetUp() override {
        ASSERT_TRUE(world.run_until([this] { return client(0).linked(); }));
        world.inflict(Fault::break_link, 0);
        ASSERT_NE(client(0).session().state, SessionState::connected);
    }
};

TEST_F(ConnectionWaitTest, AWaitThatHasEndedWithAConnectionEndsOnce) {
    ConnectionWait wait(client(0));
    wait.until_connected([this](error_code ec) { ends.push_back(ec); });
    ASSERT_TRUE(world.run_until([this] { return !ends.empty(); }));
    run_for(2 * client(0).config().connection_timeout);
    EXPECT_EQ(ends, std::vector<error_code>{error_code()});
}

TEST_F(ConnectionWaitTest, ACancelledWaitDoesNotEnd) {
    ConnectionWait wait(client(0));
    wait.until_connected([this](error_code ec) { ends.push_back(ec); });
    wait.cancel();
    run_for(2 * client(0).config().connection_timeout);
    EXPECT_TRUE(ends.empty());
}

} // namespace
} // namespace docent::detail
