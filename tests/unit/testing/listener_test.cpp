// SPDX-License-Identifier: Apache-2.0
#include "testing/listener.hpp"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

namespace docent::testing {
namespace {

using asio::ip::tcp;

class ListenerTest : public ::testing::Test {
protected:
    tcp::socket connection() {
        tcp::socket socket(context);
        socket.connect({asio::ip::address_v4::loopback(), listener.port()});
        return socket;
    }

    asio::io_context context;
    int accepted = 0;
    std::function<void()> on_accepted = [] {};
    Listener listener{context, 0, "ListenerTest", [this](const tcp::socket&) {
                          ++accepted;
                          on_accepted();
                      }};
};

TEST_F(ListenerTest, AConnectionFromBeforeTheCloseIsNotDelivered) {
    const tcp::socket first = connection();
    const tcp::socket second = connection(); // its handler waits behind the close
    on_accepted = [&] {
        asio::post(context, [&] {
            listener.close();
            listener.open();
        });
    };
    context.run_one(); // the first connection may not be in the listener's queue yet
    context.poll();
    EXPECT_EQ(accepted, 1);
    on_accepted = [] {};
    const tcp::socket third = connection();
    const tcp::socket fourth = connection();
    while (accepted < 3 && context.run_one_for(std::chrono::seconds(30)) > 0) continue;
    EXPECT_EQ(accepted, 3);
}

} // namespace
} // namespace docent::testing
