// SPDX-License-Identifier: Apache-2.0
#include "testing/proxy/proxy_connection.hpp"

#include <gtest/gtest.h>

namespace docent::testing {
namespace {

TEST(FaultRules, ARuleStrikesOnce) {
    FaultRules rules;
    rules.request_cuts.insert(Opcode::create);
    EXPECT_FALSE(take_cut(rules.request_cuts, Opcode::get));
    EXPECT_FALSE(take_cut(rules.reply_cuts, Opcode::create));
    EXPECT_TRUE(take_cut(rules.request_cuts, Opcode::create));
    EXPECT_FALSE(take_cut(rules.request_cuts, Opcode::create));
}

TEST(FaultRules, TwoRulesStrikeTwice) {
    FaultRules rules;
    rules.reply_cuts.insert(Opcode::create);
    rules.reply_cuts.insert(Opcode::create);
    EXPECT_TRUE(take_cut(rules.reply_cuts, Opcode::create));
    EXPECT_TRUE(take_cut(rules.reply_cuts, Opcode::create));
    EXPECT_FALSE(take_cut(rules.reply_cuts, Opcode::create));
}

TEST(FaultRules, BytesAreCountedPerDirection) {
    FaultRules rules;
    rules[Direction::to_server].bytes_left = 10;
    EXPECT_EQ(rules[Direction::to_client].take_bytes(100), std::nullopt);
    EXPECT_EQ(rules[Direction::to_server].take_bytes(4), std::nullopt);
    EXPECT_EQ(rules[Direction::to_server].take_bytes(20), 6U);
    EXPECT_EQ(rules[Direction::to_server].take_bytes(20), std::nullopt) << "the rule has struck";
}

TEST(FaultRules, TheLastByteAllowedMayEndAPiece) {
    FaultRules rules;
    rules[Direction::to_server].bytes_left = 4;
    EXPECT_EQ(rules[Direction::to_server].take_bytes(4), 4U);
}

TEST(FaultRules, NoByteAtAll) {
    FaultRules rules;
    rules[Direction::to_client].bytes_left = 0;
    EXPECT_EQ(rules[Direction::to_client].take_bytes(1), 0U);
}

TEST(FaultRules, DirectionsAreApart) {
    FaultRules rules;
    rules[Direction::to_client].held = true;
    rules[Direction::to_server].delay = std::chrono::milliseconds(5);
    EXPECT_TRUE(rules.to_client.held);
    EXPECT_FALSE(rules.to_server.held);
    EXPECT_EQ(rules.to_client.delay, std::chrono::milliseconds(0));
    EXPECT_EQ(rules.to_server.delay, std::chrono::milliseconds(5));
}

} // namespace
} // namespace docent::testing
