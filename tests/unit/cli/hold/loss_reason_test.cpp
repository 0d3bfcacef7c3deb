// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/loss.hpp"

#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace docent::cli {
namespace {

void lose_node(LossListener& listener, error_code ec) {
    listener.on_lease({.event = LeaseEvent::lost, .ec = ec});
}

TEST(LossReason, IsThatOfTheLease) {
    const std::pair<error_code, LossReason> all[] = {{server_error::no_node, LossReason::node_deleted},
                                                     {server_error::session_expired, LossReason::session_ended},
                                                     {server_error::auth_failed, LossReason::session_ended},
                                                     {error::not_connected, LossReason::no_answer}};
    for (const auto& [ec, reason] : all) {
        LossListener listener;
        lose_node(listener, ec);
        EXPECT_EQ(listener.reason(), reason) << ec.message();
    }
}

TEST(LossReason, OfSeveralLeasesTheFirstOneCounts) {
    LossListener listener;
    lose_node(listener, error::not_connected);
    lose_node(listener, server_error::session_expired);
    EXPECT_EQ(listener.reason(), LossReason::no_answer);
}

TEST(LossReason, ForgetsLossesFromBeforeTheGrant) {
    LossListener listener;
    lose_node(listener, server_error::session_expired);
    listener.on_lease({.event = LeaseEvent::granted});
    lose_node(listener, server_error::no_node);
    EXPECT_EQ(listener.reason(), LossReason::node_deleted);
}

TEST(LossReason, AParentThatMayNotBeMadeIsSaidWithTheError) {
    LossListener listener;
    EXPECT_EQ(listener.obstacle(), "");
    const std::string message = make_error_code(server_error::no_auth).message();
    listener.on_warning("the parent /a is missing and cannot be made: " + message);
    EXPECT_EQ(listener.obstacle(), ": the parent /a is missing and cannot be made");
}

TEST(LossReason, IsNotMadeUp) {
    EXPECT_EQ(loss_text(LossListener().reason()), "");
    EXPECT_EQ(loss_text(LossReason::no_answer), ": nothing was heard from a server in time");
    EXPECT_EQ(to_string(LossReason::session_ended), "session_ended");
}

} // namespace
} // namespace docent::cli
