// SPDX-License-Identifier: Apache-2.0
#include "barrier/barrier_wait_operation.hpp"

namespace docent::detail {

/// As the leader knows it: a server that lags behind may not have heard yet that the barrier was set. After each connect, also
/// if the watch is still there: it does not tell that an ensemble has gone back to a state without the barrier.
void BarrierWaitOperation::look() {
    ask_synced(zk::ExistsRequest{path_, watch_}, [this](const zk::Reply& reply) { on_seen(reply); });
}

void BarrierWaitOperation::on_seen(const zk::Reply& reply) {
    if (looks_again_after(reply.ec)) return;
    const bool unreadable = reply.ec == server_error::no_auth; // but there: what is missing is missing for everybody
    if (reply.ec && !unreadable) return end(reply.ec == server_error::no_node ? error_code{} : reply.ec);
    if (czxid_ != 0 && !unreadable && czxid_ != reply.stat.czxid) return end({}); // it has gone, and somebody has set it again
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
