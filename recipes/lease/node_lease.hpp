// SPDX-License-Identifier: Apache-2.0
#pragma once

// A lease with a node of its own.

#include "lease/lease_core.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace docent::detail {

/// Members are called on the strand, unless they or the members that they override say otherwise.
class NodeLease final : public LeaseCore, public KeptAlive {
public:
    static std::shared_ptr<NodeLease> make(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now);

    LeaseState state() noexcept override;
    std::chrono::nanoseconds margin() const noexcept override;
    const HeldNode& node() const noexcept override { return node_; }
    void keep_node_when_lost() noexcept override;
    std::optional<Hold::Time> release_later() noexcept override;

    void trace(std::shared_ptr<LeaseSpan> span) override;
    void release(ClientView& through, std::function<void(error_code)> done) override;
    /// Reports to `span` that a hold in this node has ended at `now`. `margin`: see LeaseSpan::on_over().
    void report_end(const std::shared_ptr<LeaseSpan>& span, LeaseState how, Hold::Time now, std::chrono::nanoseconds margin);

    /// Watches the node now, for a hold that is meant to last. Other leases set the watch with the first heartbeat, so that a
    /// short hold does not pay for it.
    void watch_at_once();
    /// A list of the queue does not contain the lease's node. Ends the lease, although no event has reported the deletion.
    void on_not_listed() { lose(Node::seen_deleted); }
    void on_heartbeat() override;
    void on_session_event(const SessionEvent& event) override;

private:
    /// The time from keep_node_when_lost() until the lease watches its node. A client waits for the answers to its requests
    /// before it closes its session. So a watch at once would cost a short command a round trip.
    static constexpr std::chrono::milliseconds watches_after{100};

    enum class Node { present, seen_deleted };
    NodeLease(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now);

    std::shared_ptr<NodeLease> self() { return std::static_pointer_cast<NodeLease>(shared_from_this()); }
    std::weak_ptr<NodeLease> weak_self() { return self(); }
    bool is_over() noexcept override { return settled_; }
    bool ends_holding(SessionState state) const noexcept { return policy_ && policy_->ends_holding(state); }
    LeaseState state_at(Hold::Time now) noexcept; // from any thread
    void settle_later() noexcept;                 // from any thread
    void watch_own();
    void watch_soon();
    void on_expired() override { settle_loss(Node::present); }
    void on_own_event(const WatchEvent& event);
    void on_own_read(const zk::Reply& reply);
    void on_made_revocable() override;
    void lose(Node node, const SessionEvent& session);
    void lose(Node node) { lose(node, view()->session()); }
    void settle_loss(Node node, const SessionEvent& session);
    void settle_loss(Node node) { settle_loss(node, view()->session()); }
    /// Calls `done` with the reason of the loss, now or when it is known. If the node was deleted, the reason may be the end of
    /// the session, of which the client learns later. The reason is `error::closed`, `server_error::no_node` (the node was
    /// deleted), or the reason from session::loss_reason().
    void explain_loss(std::function<void(error_code)> done);
    void ask_whether_session_lives();
    void explain_by_session(const SessionEvent& session);
    void explain(error_code why);
    void report_end();
    void remove_kept(ClientView& through, std::function<void(error_code)> done);
    void settle_release(ClientView& through, std::function<void(error_code)> done);

    const HeldNode node_;
    const std::shared_ptr<session::ValidityClock> clock_;
    const std::shared_ptr<const ErrorPolicy> policy_;
    std::atomic<bool> keeps_node_{false};

    bool interrupted_ = false;                                // a break was reported, and no connection after it
    bool settled_ = false;                                    // settle_loss() or settle_release() has run
    bool node_kept_ = false;                                  // the node stays until the release
    std::optional<error_code> why_lost_;                      // when it is known
    std::vector<std::function<void(error_code)>> to_explain_; // wait for why_lost_
    Registration news_of_session_;                            // a session event will explain the loss
    Registration watch_timer_;
    zk::WatchSink own_watch_; // set while a read with a watch is under way, and while the watch is set
    bool asked_for_ = false;  // by another client
};

} // namespace docent::detail
