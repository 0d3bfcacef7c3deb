// SPDX-License-Identifier: Apache-2.0
#include "session/session_machine.hpp"

#include <gtest/gtest.h>

namespace docent::session {
namespace {

using enum SessionState;

TEST(LossReason, IsTheServersAnswer) {
    EXPECT_EQ(loss_reason({lost, 1, 0xa, server_error::session_expired}, 1), server_error::session_expired);
    EXPECT_EQ(loss_reason({lost, 1, 0xa, server_error::auth_failed}, 1), server_error::auth_failed);
}

TEST(LossReason, OfAPresumedLossIsTheSilence) {
    EXPECT_EQ(loss_reason({lost, 1, 0xa, error::not_connected}, 1), error::not_connected);
    for (const auto state : {connecting, suspended, connected}) { // a holder may notice the loss before the session does
        EXPECT_EQ(loss_reason({state, 1, 0xa, {}}, 1), error::not_connected) << to_string(state);
    }
}

TEST(LossReason, IsTheEndOfTheSessionWhenAnotherOneIsThere) {
    EXPECT_EQ(loss_reason({connected, 2, 0xb, {}}, 1), server_error::session_expired);
    EXPECT_EQ(loss_reason({suspended, 2, 0xb, {}}, 1), server_error::session_expired);
}

TEST(LossReason, IsTheClosedClient) {
    EXPECT_EQ(loss_reason({closed, 1, 0xa, {}}, 1), error::closed);
    EXPECT_EQ(loss_reason({closed, 2, 0xb, {}}, 1), error::closed);
}

} // namespace
} // namespace docent::session
