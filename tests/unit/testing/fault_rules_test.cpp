// SPDX-License-Identifier: Apache-2.0
#include "testing/proxy/fault_rules.hpp"

#include <gtest/gtest.h>

namespace docent::testing {
namespace {

TEST(FaultRules, ARuleStrikesOnce) {
    FaultRules rules;
    rules.cut_before_request(Opcode::create);
    EXPECT_FALSE(rules.take_request_cut(Opcode::get));
    EXPECT_FALSE(rules.take_reply_cut(Opcode::create));
    EXPECT_TRUE(rules.take_request_cut(Opcode::create));
    EXPECT_FALSE(rules.take_request_cut(Opcode::create));
}

TEST(FaultRules, TwoRulesStrikeTwice) {
    FaultRules rules;
    rules.cut_before_reply(Opcode::create);
    rules.cut_before_reply(Opcode::create);
    EXPECT_TRUE(rules.take_reply_cut(Opcode::create));
    EXPECT_TRUE(rules.take_reply_cut(Opcode::create));
    EXPECT_FALSE(rules.take_reply_cut(Opcode::create));
}

TEST(FaultRules, BytesAreCountedPerDirection) {
    FaultRules rules;
    rules.cut_after(Direction::to_server, 10);
    EXPECT_EQ(rules.take_bytes(Direction::to_client, 100), std::nullopt);
    EXPECT_EQ(rules.take_bytes(Direction::to_server, 4), std::nullopt);
    EXPECT_EQ(rules.take_bytes(Direction::to_server, 20), 6U);
    EXPECT_EQ(rules.take_bytes(Direction::to_server, 20), std::nullopt) << "the rule has struck";
}

TEST(FaultRules, TheLastByteAllowedMayEndAPiece) {
    FaultRules rules;
    rules.cut_after(Direction::to_server, 4);
    EXPECT_EQ(rules.take_bytes(Direction::to_server, 4), 4U);
}

TEST(FaultRules, NoByteAtAll) {
    FaultRules rules;
    rules.cut_after(Direction::to_client, 0);
    EXPECT_EQ(rules.take_bytes(Direction::to_client, 1), 0U);
}

TEST(FaultRules, DirectionsAreApart) {
    FaultRules rules;
    rules.hold(Direction::to_client);
    rules.delay(Direction::to_server, std::chrono::milliseconds(5));
    EXPECT_TRUE(rules.holds(Direction::to_client));
    EXPECT_FALSE(rules.holds(Direction::to_server));
    EXPECT_EQ(rules.delay(Direction::to_client), std::chrono::milliseconds(0));
    EXPECT_EQ(rules.delay(Direction::to_server), std::chrono::milliseconds(5));
}

} // namespace
} // namespace docent::testing
