// SPDX-License-Identifier: Apache-2.0
#include "zk/watch_table.hpp"

#include <gtest/gtest.h>

namespace docent::zk {
namespace {

using enum WatchEventType;
using Presence = NodeState::Presence;

constexpr NodeState unknown{};
constexpr NodeState missing{.presence = Presence::missing};
constexpr NodeState unreadable{.presence = Presence::unreadable};
constexpr NodeState readable(std::int64_t czxid, std::int64_t mzxid, std::int64_t pzxid) {
    return {Presence::readable, czxid, mzxid, pzxid};
}
constexpr NodeState node = readable(5, 7, 8);
constexpr auto every_kind = {WatchKind::data, WatchKind::exists, WatchKind::children};

TEST(WatchLook, AnswersSayWhetherTheNodeExists) {
    EXPECT_EQ(told_by({}, {.czxid = 5, .mzxid = 7, .pzxid = 8}), node);
    EXPECT_EQ(told_by(server_error::no_node, {}), missing);
    EXPECT_EQ(told_by(server_error::no_auth, {}), unreadable) << "a server looks at the ACL of a node that exists";
    for (const error_code ec : {error_code(server_error::connection_loss), error_code(server_error::throttled)}) {
        EXPECT_EQ(told_by(ec, {}), unknown);
    }
}

TEST(WatchLook, NodeThatStaysAsItIsHasNoEvent) {
    for (const WatchKind kind : every_kind) {
        for (const NodeState& state : {missing, unreadable, node}) EXPECT_EQ(missed_event(kind, state, state), std::nullopt);
        EXPECT_EQ(missed_event(kind, node, unreadable), std::nullopt) << "it exists";
        EXPECT_EQ(missed_event(kind, node, unknown), std::nullopt);
        EXPECT_EQ(missed_event(kind, unknown, node), std::nullopt);
        EXPECT_EQ(missed_event(kind, unknown, missing), std::nullopt);
    }
}

TEST(WatchLook, NodeThatHasGoneWasDeleted) {
    for (const WatchKind kind : every_kind) {
        EXPECT_EQ(missed_event(kind, node, missing), deleted);
        EXPECT_EQ(missed_event(kind, unreadable, missing), deleted);
        EXPECT_EQ(missed_event(kind, node, readable(9, 9, 9)), deleted) << "another node is in its place";
    }
}

TEST(WatchLook, NodeThatIsThereNowWasCreated) {
    EXPECT_EQ(missed_event(WatchKind::exists, missing, node), created);
    EXPECT_EQ(missed_event(WatchKind::exists, missing, unreadable), created) << "also if it may not be read";
}

TEST(WatchLook, EachKindHearsOfItsOwnChanges) {
    const NodeState written = readable(5, 9, 8);
    const NodeState with_child = readable(5, 7, 9);
    EXPECT_EQ(missed_event(WatchKind::data, node, written), data_changed);
    EXPECT_EQ(missed_event(WatchKind::exists, node, written), data_changed);
    EXPECT_EQ(missed_event(WatchKind::children, node, written), std::nullopt);
    EXPECT_EQ(missed_event(WatchKind::data, node, with_child), std::nullopt);
    EXPECT_EQ(missed_event(WatchKind::children, node, with_child), children_changed);
    EXPECT_EQ(missed_event(WatchKind::data, node, readable(5, 6, 8)), data_changed) << "an ensemble went back";
}

TEST(WatchLook, ANodeThatIsReadableAgainIsComparedWithItsOldState) {
    EXPECT_EQ(known_after(node, unreadable), node) << "the zxids stay known";
    EXPECT_EQ(known_after(node, unknown), node);
    EXPECT_EQ(known_after(node, missing), missing);
    EXPECT_EQ(known_after(missing, unreadable), unreadable);
    EXPECT_EQ(missed_event(WatchKind::data, unreadable, node), data_changed) << "nobody could read it before";
    EXPECT_EQ(missed_event(WatchKind::children, unreadable, node), children_changed);
}

TEST(WatchLook, LooksAreASessionTimeoutApartAndSpread) {
    using namespace std::chrono_literals;
    const std::chrono::steady_clock::time_point now{100s};
    EXPECT_EQ(next_look(now, 4s, 0), now + 4s);
    EXPECT_EQ(next_look(now, 4s, 999), now + 4s + 999ms);
    EXPECT_EQ(next_look(now, 4s, 1000), now + 4s);
}

} // namespace
} // namespace docent::zk
