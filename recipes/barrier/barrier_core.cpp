// SPDX-License-Identifier: Apache-2.0

#include "barrier/barrier_core.hpp"

namespace docent::detail {

/// Looks with a sync: a server that lags behind may not have the barrier yet. Looks after each connect, also with a watch: the
/// watch does not report that the servers were restored from older data without the barrier.
void BarrierWaitOperation::look() {
    ask_synced(zk::ExistsRequest{path_, watch_}, [this](const zk::Reply& reply) { on_seen(reply); });
}

void BarrierWaitOperation::on_seen(const zk::Reply& reply) {
    if (looks_again_after(reply.ec)) return;
    const bool unreadable = reply.ec == server_error::no_auth; // the node exists: a missing node is reported first
    if (reply.ec && !unreadable) return end(reply.ec == server_error::no_node ? error_code{} : reply.ec);
    if (czxid_ != 0 && !unreadable && czxid_ != reply.stat.czxid) return end({}); // it was removed, and set again
    if (!unreadable) czxid_ = reply.stat.czxid;
    found_ = true;
    rest();
}

bool BarrierWaitOperation::says_all(const WatchEvent& event) const {
    return event.type == WatchEventType::deleted && found_;
}

void BarrierWaitOperation::on_end(error_code) {
    view_->forget_watch(path_, zk::WatchKind::exists);
}

} // namespace docent::detail
