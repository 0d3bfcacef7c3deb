// SPDX-License-Identifier: Apache-2.0
#include "testing/proxy/frame_parser.hpp"

#include <boost/endian/conversion.hpp>

#include <gtest/gtest.h>

namespace docent::testing {
namespace {

using namespace std::string_literals;

const std::string three_bytes = "\0\0\0\3abc"s;
const std::string empty_frame = "\0\0\0\0"s;

TEST(FrameParser, FramesComeOutAsTheyWentIn) {
    FrameParser parser;
    parser.append(three_bytes + empty_frame + three_bytes);
    EXPECT_EQ(parser.next(), (Piece{three_bytes, true}));
    EXPECT_EQ(parser.next(), (Piece{empty_frame, true}));
    EXPECT_EQ(parser.next(), (Piece{three_bytes, true}));
    EXPECT_EQ(parser.next(), std::nullopt);
    EXPECT_EQ(parser.rest(), std::nullopt);
}

TEST(FrameParser, BytesOfAnotherProtocolAreNotHeldBack) {
    FrameParser parser(Traffic::bytes);
    parser.append(empty_frame + "\0\0\0\7x"s);
    EXPECT_EQ(parser.next(), (Piece{empty_frame + "\0\0\0\7x"s, false}));
    EXPECT_EQ(parser.next(), std::nullopt);
}

TEST(FrameParser, FrameMayComeByteByByte) {
    FrameParser parser;
    const std::string both = three_bytes + three_bytes;
    std::string seen;
    for (std::size_t i = 0; i < both.size(); ++i) {
        parser.append(both.substr(i, 1));
        const auto piece = parser.next();
        EXPECT_EQ(piece.has_value(), i % three_bytes.size() == three_bytes.size() - 1);
        if (piece) seen += piece->bytes;
    }
    EXPECT_EQ(seen, both);
}

TEST(FrameParser, UnfinishedFrameIsTheRest) {
    FrameParser parser;
    parser.append(three_bytes + "\0\0\0\7xy"s);
    EXPECT_EQ(parser.next(), (Piece{three_bytes, true}));
    EXPECT_EQ(parser.next(), std::nullopt);
    EXPECT_EQ(parser.rest(), (Piece{"\0\0\0\7xy"s, false}));
    EXPECT_EQ(parser.rest(), std::nullopt);
}

TEST(FrameParser, FourLetterWordsPassAsTheyAre) {
    FrameParser parser;
    parser.append("ruok");
    EXPECT_EQ(parser.next(), (Piece{"ruok", false}));
    parser.append(three_bytes);
    EXPECT_EQ(parser.next(), (Piece{three_bytes, false}));
    EXPECT_EQ(parser.next(), std::nullopt);
}

TEST(FrameParser, NegativeLengthIsNoFrame) {
    FrameParser parser;
    parser.append("\xff\xff\xff\xff"s + "x");
    EXPECT_EQ(parser.next(), (Piece{"\xff\xff\xff\xff"s + "x", false}));
}

TEST(FrameParser, LongestFrameIsOne) {
    FrameParser parser;
    parser.append("\4\0\0\0"s); // 64 MiB
    EXPECT_EQ(parser.next(), std::nullopt);
    FrameParser other;
    other.append("\4\0\0\1"s);
    EXPECT_EQ(other.next(), (Piece{"\4\0\0\1"s, false}));
}

TEST(FrameParser, RequestHeads) {
    EXPECT_EQ(request_head("\0\0\0\x08\0\0\0\5\0\0\0\1"s), (RequestHead{5, Opcode::create}));
    EXPECT_EQ(request_head("\0\0\0\x08\xff\xff\xff\xfe\0\0\0\x0b"s), (RequestHead{-2, Opcode::ping}));
    EXPECT_EQ(request_head("\0\0\0\x08\0\0\0\5\xff\xff\xff\xf5"s), (RequestHead{5, Opcode::close_session}));
    EXPECT_EQ(request_head("\0\0\0\x07\0\0\0\5\0\0\0"s), std::nullopt);
}

TEST(FrameParser, ReplyXids) {
    const std::string zxid_and_error(12, '\0');
    EXPECT_EQ(reply_xid("\0\0\0\x10\0\0\1\2"s.append(zxid_and_error)), 258);
    EXPECT_EQ(reply_xid("\0\0\0\x10\xff\xff\xff\xff"s.append(zxid_and_error)), -1);
    EXPECT_EQ(reply_xid("\0\0\0\x04\0\0\1\2"s), std::nullopt);
}

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
