// SPDX-License-Identifier: Apache-2.0
#include "zk/input/reply_check.hpp"

#include "hostile_server.hpp"

#include <gtest/gtest.h>

namespace docent::zk {
namespace {

using namespace docent::test;
using enum ReplyPart;
using Verdict = FrameVerdict;

Verdict verdict(const std::string& bytes, const FrameDue& due) {
    return look_at_frame(bytes, due).verdict;
}

Verdict reply(const std::string& body, const ReplyShape& shape) {
    return verdict(wire_frame(wire_header(7) + body), &shape);
}

TEST(ReplyCheck, NothingIsDueBeforeWeHaveSpoken) {
    EXPECT_EQ(verdict("", SilenceDue{}), Verdict::incomplete);
    EXPECT_EQ(verdict("a", SilenceDue{}), Verdict::refused);
}

TEST(ReplyCheck, GreetingNamesASessionAndItsTime) {
    EXPECT_EQ(verdict(wire_greeting(), HandshakeDue{}), Verdict::sound);
    EXPECT_EQ(verdict(wire_greeting({.timeout = 0}), HandshakeDue{}), Verdict::refused);
    const auto over = wire_greeting({.timeout = 0, .session = 0});
    EXPECT_EQ(verdict(over, HandshakeDue{.had_session = false}), Verdict::refused);
    EXPECT_EQ(verdict(over, HandshakeDue{.had_session = true}), Verdict::sound);
}

TEST(ReplyCheck, GreetingOfOldServersIsAByteShorter) {
    auto old = wire_greeting();
    old.pop_back();
    old[3] = 36;
    EXPECT_EQ(verdict(old, HandshakeDue{}), Verdict::sound);
    EXPECT_EQ(verdict(old + "x", HandshakeDue{}), Verdict::refused) << "the C client would take the x for its last byte";
}

TEST(ReplyCheck, SaysHowMuchIsNeededToKnowMore) {
    const ReplyShape shape{stat};
    const auto frame = wire_frame(wire_header(7) + wire_stat());
    EXPECT_EQ(look_at_frame(frame.substr(0, 3), &shape), (FrameLook{Verdict::incomplete, 4}));
    EXPECT_EQ(look_at_frame(frame.substr(0, 4), &shape), (FrameLook{Verdict::incomplete, frame.size()}));
    EXPECT_EQ(look_at_frame(frame + frame, &shape), (FrameLook{Verdict::sound, frame.size()}));
}

TEST(ReplyCheck, LengthsOfNoReplyAreRefusedAtOnce) {
    for (const std::int32_t length : {-1, -4, 0, 15, 65 << 20})
        EXPECT_EQ(verdict(wire(length), nullptr), Verdict::refused) << length;
}

TEST(ReplyCheck, OnlyDataAndNamesMayBeTooLarge) {
    const auto head = [](std::int32_t xid) { return wire(65 << 20) + wire_header(xid); };
    const ReplyShape of_get{data, stat};
    const ReplyShape of_set{stat};
    EXPECT_EQ(verdict(head(7), &of_get), Verdict::too_large);
    EXPECT_EQ(verdict(head(-1), &of_get), Verdict::refused) << "an event has a limit";
    EXPECT_EQ(verdict(head(7), &of_set), Verdict::refused);
}

TEST(ReplyCheck, RepliesFitTheirRequests) {
    EXPECT_EQ(reply(wire_text("d") + wire_stat(), {data, stat}), Verdict::sound);
    EXPECT_EQ(reply(wire(-1) + wire_stat(), {data, stat}), Verdict::sound) << "no data";
    EXPECT_EQ(reply(wire(-2) + wire_stat(), {data, stat}), Verdict::refused);
    EXPECT_EQ(reply(wire_text("d"), {data, stat}), Verdict::refused);
    EXPECT_EQ(reply(wire(2) + wire_text("a") + wire_text("b") + wire_stat(), {names, stat}), Verdict::sound);
    EXPECT_EQ(reply(wire(3) + wire_text("a") + wire_text("b") + wire_stat(), {names, stat}), Verdict::refused);
    EXPECT_EQ(reply(wire(1) + wire(31) + wire_text("world") + wire_text("anyone") + wire_stat(), {acl, stat}), Verdict::sound);
    EXPECT_EQ(reply("", {}), Verdict::sound);
    EXPECT_EQ(verdict(wire_frame(wire_header(7, -101)), nullptr), Verdict::refused) << "no request is outstanding";
    const ReplyShape shape{data, stat};
    EXPECT_EQ(verdict(wire_frame(wire_header(7, -101)), &shape), Verdict::sound) << "an error has nothing else";
}

TEST(ReplyCheck, AMultiHasAsManyResultsAsOperations) {
    const ReplyShape shape{.multi = std::vector{path, stat, nothing}};
    const auto result = [](std::int32_t type) { return wire(type) + '\0' + wire(0); };
    const auto end = wire(-1) + '\1' + wire(-1);
    const auto whole = result(1) + wire_text("/a") + result(5) + wire_stat() + result(2);
    EXPECT_EQ(reply(whole + end, shape), Verdict::sound);
    EXPECT_EQ(reply(result(-1) + wire(0) + result(-1) + wire(-101) + result(-1) + wire(-2) + end, shape), Verdict::sound);
    EXPECT_EQ(reply(whole, shape), Verdict::refused);
    EXPECT_EQ(reply(whole + result(2) + end, shape), Verdict::refused);
    EXPECT_EQ(reply(end, shape), Verdict::refused);
}

TEST(ReplyCheck, EventsAreThoseOfNodes) {
    const auto event = [](std::int32_t type) { return wire_frame(wire_header(-1) + wire(type) + wire(3) + wire_text("/a")); };
    EXPECT_EQ(verdict(event(1), nullptr), Verdict::sound);
    EXPECT_EQ(verdict(event(-1), nullptr), Verdict::refused) << "only the C client makes session events";
    for (const std::int32_t xid : {-2, -4, -8})
        EXPECT_EQ(verdict(wire_frame(wire_header(xid)), nullptr), Verdict::sound) << xid;
}

TEST(ReplyCheck, ShapesOfRequests) {
    EXPECT_EQ(reply_shape(CreateRequest{"/a"}), (ReplyShape{path, stat}));
    EXPECT_EQ(reply_shape(RemoveRequest{"/a"}), ReplyShape{});
    MultiRequest multi;
    multi.operations = {CreateRequest{"/a"}, SetRequest{"/b", ""}, CheckRequest{"/c"}};
    EXPECT_EQ(reply_shape(multi), (ReplyShape{.multi = std::vector{path, stat, nothing}}));
}

} // namespace
} // namespace docent::zk
