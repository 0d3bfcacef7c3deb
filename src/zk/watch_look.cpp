// SPDX-License-Identifier: Apache-2.0
#include "zk/watch_look.hpp"

namespace docent::zk {

using Presence = NodeState::Presence;

NodeState told_by(const error_code& ec, const Stat& stat) {
    if (ec == server_error::no_node) return {.presence = Presence::missing};
    if (ec == server_error::no_auth) return {.presence = Presence::unreadable};
    if (ec) return {};
    return {Presence::readable, stat.czxid, stat.mzxid, stat.pzxid};
}

NodeState known_after(const NodeState& before, const NodeState& now) {
    if (now.presence == Presence::unknown) return before;
    const bool zxids_stay = now.presence == Presence::unreadable && before.presence == Presence::readable;
    return zxids_stay ? before : now;
}

std::optional<WatchEventType> missed_event(WatchKind kind, const NodeState& before, const NodeState& now) {
    const bool was_there = before.presence == Presence::readable || before.presence == Presence::unreadable;
    switch (now.presence) {
    case Presence::unknown: return std::nullopt;
    case Presence::missing: return was_there ? std::optional(WatchEventType::deleted) : std::nullopt;
    case Presence::unreadable:
    case Presence::readable: break;
    }
    if (before.presence == Presence::unknown) return std::nullopt;
    if (before.presence == Presence::missing) return WatchEventType::created;
    if (now.presence == Presence::unreadable) return std::nullopt; // the node still exists; more is not known
    const bool children = kind == WatchKind::children;
    const auto changed = children ? WatchEventType::children_changed : WatchEventType::data_changed;
    if (before.presence == Presence::unreadable) return changed;   // the node can be read now
    if (before.czxid != now.czxid) return WatchEventType::deleted; // another node has taken its place
    const bool same = children ? before.pzxid == now.pzxid : before.mzxid == now.mzxid;
    return same ? std::nullopt : std::optional(changed);
}

} // namespace docent::zk
