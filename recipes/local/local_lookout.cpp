// SPDX-License-Identifier: Apache-2.0

// Finds out whether another client wants the node, and whether this process still uses it. On the strand.

#include "base/while_alive.hpp"
#include "local/local_queue.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace docent::detail {

void LocalQueue::look() {
    if (!looked_at_) return;
    watch_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent&) { on_changed(); }));
    const auto on_reply = [this, watch = watch_](const zk::Reply& reply) {
        if (watch_ == watch) on_listed(reply);
    };
    view_->submit(zk::ChildrenRequest{place_->path, watch_}, while_alive(weak_from_this(), on_reply));
}

void LocalQueue::on_listed(const zk::Reply& reply) {
    if (reply.ec) {
        watch_.reset();
        if (view_->session().state != SessionState::connected) return; // the queue is listed again after a reconnect
        look_timer_ = view_->call_after(std::chrono::seconds{1}, while_alive(weak_from_this(), [this] {
                                            if (!watch_) look();
                                        }));
        return;
    }
    const std::string_view own = node_name(looked_at_->path());
    if (std::find(reply.children.begin(), reply.children.end(), own) == reply.children.end()) {
        const auto lost = looked_at_; // the loss resets looked_at_
        return lost->on_not_listed();
    }
    is_alone_ = reply.children.size() == 1;
    on_seen(std::any_of(reply.children.begin(), reply.children.end(), [&](const std::string& child) {
        const auto contender = parse_node_name(place_->names, child);
        return contender && child != own && (!rules_.shared || contender->token.kind == ContenderKind::exclusive);
    }));
}

void LocalQueue::on_changed() {
    watch_.reset();
    // Other readers do not wait for a reader, and strangers do not count. A contender that comes to a lone writer probably
    // waits for it.
    if (is_alone_ && !rules_.shared) return on_seen(true);
    on_unseen();
    look();
}

void LocalQueue::on_seen(bool somebody) {
    Effects effects;
    std::unique_lock lock(mutex_);
    if (current() && current()->lease == looked_at_) {
        decide(effects, [&](std::uint64_t inside) { return machine_.on_seen(somebody, inside); });
    }
    lock.unlock();
    if (somebody) stop_looking();
    effects.carry_out();
}

void LocalQueue::on_unseen() {
    Effects effects;
    std::unique_lock lock(mutex_);
    if (current() && current()->lease == looked_at_) {
        decide(effects, [this](std::uint64_t inside) { return machine_.on_unseen(inside); });
    }
    lock.unlock();
    effects.carry_out();
}

void LocalQueue::stop_looking() {
    if (std::exchange(watch_, nullptr)) view_->forget_watch(place_->path, zk::WatchKind::children);
    looked_at_.reset();
    session_.reset();
    look_timer_.reset();
}

/// Retires a node that is idle: it was empty at two looks, and no hold entered in between. So it goes after one to two times
/// `keep_for`.
void LocalQueue::await_idleness() {
    if (!rules_.keeps) return;
    const auto half = std::max(keep_for_ / 2, std::chrono::milliseconds{1});
    idle_timer_ = view_->call_after(half, while_alive(weak_from_this(), [this] {
                                        const auto last = std::exchange(idle_timer_, nullptr); // it calls this function
                                        Effects effects;
                                        std::unique_lock lock(mutex_);
                                        const LocalNode* const node = current();
                                        if (!node) return;
                                        // In this order: a hold that enters in between is inside, or counts as entered later.
                                        const auto seen = std::exchange(seen_entered_, node->hold_counter.entered());
                                        const bool was_empty = std::exchange(was_empty_, node->hold_counter.inside() == 0);
                                        if (was_empty && was_empty_ && seen == seen_entered_) {
                                            decide(effects, [this](std::uint64_t inside) { return machine_.on_idle(inside); });
                                        }
                                        lock.unlock();
                                        effects.carry_out();
                                        await_idleness();
                                    }));
}

} // namespace docent::detail
