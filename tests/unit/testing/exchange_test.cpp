// SPDX-License-Identifier: Apache-2.0
#include "testing/proxy/fault_rules.hpp"

#include <boost/endian/conversion.hpp>

#include <gtest/gtest.h>

namespace docent::testing {
namespace {

std::string number(std::int32_t value) {
    std::string out(4, '\0');
    boost::endian::store_big_s32(reinterpret_cast<unsigned char*>(out.data()), value);
    return out;
}

Piece request(std::int32_t xid, Opcode opcode) {
    return {number(8) + number(xid) + number(static_cast<std::int32_t>(opcode)), true};
}

Piece reply(std::int32_t xid) {
    return {number(16) + number(xid) + std::string(12, '\0'), true};
}

const Piece connect_request{number(44) + std::string(44, '\1'), true};
const Piece connect_response{number(36) + std::string(36, '\1'), true};

class ExchangeTest : public ::testing::Test {
protected:
    ExchangeTest() {
        EXPECT_EQ(exchange.read_request(connect_request), std::nullopt);
        EXPECT_FALSE(exchange.is_awaited_reply(connect_response));
    }
    Exchange exchange;
};

TEST_F(ExchangeTest, ConnectRequestIsNoRequest) {
    EXPECT_EQ(exchange.read_request(request(1, Opcode::create)), (RequestHead{1, Opcode::create}));
}

TEST_F(ExchangeTest, ReplyBelongsToItsXid) {
    exchange.expect_reply({1, Opcode::exists}, false);
    exchange.expect_reply({2, Opcode::create}, true);
    exchange.expect_reply({3, Opcode::exists}, false);
    EXPECT_FALSE(exchange.is_awaited_reply(reply(1)));
    EXPECT_TRUE(exchange.is_awaited_reply(reply(2)));
    EXPECT_FALSE(exchange.is_awaited_reply(reply(3)));
}

TEST_F(ExchangeTest, WatchEventsAndPingsBetweenDoNotMatter) {
    exchange.expect_reply({-2, Opcode::ping}, false);
    exchange.expect_reply({2, Opcode::create}, true);
    EXPECT_FALSE(exchange.is_awaited_reply(reply(-1)));
    EXPECT_FALSE(exchange.is_awaited_reply(reply(-2)));
    EXPECT_TRUE(exchange.is_awaited_reply(reply(2)));
}

TEST_F(ExchangeTest, PingsAreAnsweredInTheirOrder) {
    exchange.expect_reply({-2, Opcode::ping}, false);
    exchange.expect_reply({-2, Opcode::ping}, true);
    EXPECT_FALSE(exchange.is_awaited_reply(reply(-2)));
    EXPECT_TRUE(exchange.is_awaited_reply(reply(-2)));
}

TEST_F(ExchangeTest, AReplyIsTakenOnce) {
    exchange.expect_reply({2, Opcode::create}, true);
    EXPECT_TRUE(exchange.is_awaited_reply(reply(2)));
    EXPECT_FALSE(exchange.is_awaited_reply(reply(2)));
}

TEST_F(ExchangeTest, NothingIsAwaitedAnyMore) {
    exchange.expect_reply({2, Opcode::create}, true);
    exchange.await_none();
    EXPECT_FALSE(exchange.is_awaited_reply(reply(2)));
}

TEST_F(ExchangeTest, BytesThatAreNoFrameAreNothing) {
    EXPECT_EQ(exchange.read_request({"ruok", false}), std::nullopt);
    EXPECT_FALSE(exchange.is_awaited_reply({"imok", false}));
}

} // namespace
} // namespace docent::testing
