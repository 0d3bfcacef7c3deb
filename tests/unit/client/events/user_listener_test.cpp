// SPDX-License-Identifier: Apache-2.0
#include "client/events/user_listener.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>

namespace docent::detail {
namespace {

/// A listener whose function owns a token. `owner` stands for a thread of the client that is just using the listener.
class UserListenerTest : public testing::Test {
protected:
    void listen(std::function<void()> work) {
        auto token = std::make_shared<int>();
        alive = token;
        owner = std::make_shared<UserListener<int>>([token = std::move(token), work = std::move(work)](int) { work(); },
                                                    context.get_executor());
    }

    asio::io_context context;
    std::shared_ptr<UserListener<int>> owner;
    std::weak_ptr<int> alive;
    int calls = 0;
};

TEST_F(UserListenerTest, TheFunctionIsDestroyedAtTheEndAlthoughAThreadUsesTheListener) {
    listen([this] { ++calls; });
    owner->hear(1);
    owner->end();
    EXPECT_TRUE(alive.expired());
    context.run();
    EXPECT_EQ(calls, 0);
}

TEST_F(UserListenerTest, TheFunctionOutlivesACallThatEndsIt) {
    listen([this] {
        owner->end();
        EXPECT_FALSE(alive.expired());
        ++calls;
    });
    owner->hear(1);
    owner->hear(2);
    context.run();
    EXPECT_TRUE(alive.expired());
    EXPECT_EQ(calls, 1);
}

TEST_F(UserListenerTest, TheFunctionIsDestroyedAfterACallThatThrows) {
    listen([this] {
        owner->end();
        throw std::runtime_error("of the user");
    });
    owner->hear(1);
    EXPECT_THROW(context.run(), std::runtime_error);
    EXPECT_TRUE(alive.expired());
}

TEST_F(UserListenerTest, IsCalledAgainAfterACallThatThrows) {
    listen([this] {
        if (++calls == 1) throw std::runtime_error("of the user");
    });
    owner->hear(1);
    owner->hear(2);
    EXPECT_THROW(context.run(), std::runtime_error);
    context.run();
    EXPECT_EQ(calls, 2);
}

} // namespace
} // namespace docent::detail
