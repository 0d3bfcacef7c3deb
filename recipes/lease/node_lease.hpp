// SPDX-License-Identifier: Apache-2.0
#pragma once

// A lease with a node of its own.

#include "base/listeners.hpp"
#include "lease/lease_core.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace docent::detail {

/// Members are called on the strand, unless they or the members that they override say otherwise.
class NodeLease final : public LeaseCore, public KeptAlive {
public:
    static std::shared_ptr<NodeLease> make(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now);

    LeaseState state() noexcept override;
    std::chrono::nanoseconds remaining() noexcept override;
    std::stop_token stop_token() noexcept override { return stop_.get_token(); }
    const std::string& path() const noexcept override { return path_; }
    std::string data() const override;
    const std::string& encoded_data() const noexcept override { return encoded_data_; }
    std::int64_t czxid() const noexcept override { return czxid_; }
    std::int64_t fencing_token() const noexcept override { return token_; }
    std::uint64_t hold_number() const noexcept override { return 1; }
    std::uint64_t epoch() const noexcept override { return epoch_; }
    const std::optional<PermitUsage>& usage() const noexcept override { return usage_; }
    const BootNow& boot_now() const noexcept override { return boot_now_; }
    const std::shared_ptr<ClientView>& view() const noexcept override { return view_; }
    void make_revocable(RevocationListenerPtr listener) override;
    void keep_node_when_lost() noexcept override;
    void share_node_no_more() noexcept override {} // the node is never shared
    bool release_at_once() noexcept override { return false; }
    std::optional<Hold::Time> release_later() noexcept override;

    void trace(std::shared_ptr<LeaseSpan> span) override;
    void ask_to_stop() noexcept override { stop_.request_stop(); }
    void release(ClientView& through, std::function<void(error_code)> done) override;
    Registration when_over(std::function<void(error_code)> done) override;
    /// Calls `done` with the reason of the loss, now or when it is known. If the node was deleted, the reason may be the end of
    /// the session, of which the client learns later. The reason is `error::closed`, `server_error::no_node` (the node was
    /// deleted), or that of session::loss_reason().
    void explain_loss(std::function<void(error_code)> done);

    /// Watches the node now, for a hold that is meant to last. Other leases set the watch with the first heartbeat, so that a
    /// short hold does not pay for it.
    void watch_at_once();
    /// A list of the queue does not contain the lease's node. Ends the lease, although no event has reported the deletion.
    void on_not_listed() { lose(Node::seen_deleted); }
    void on_heartbeat() override;
    void on_session_event(const SessionEvent& event) override;

private:
    /// When a holder that keeps its node watches it. A client waits for the answers to its requests before it closes its
    /// session, so the watch would cost a command that ends at once a round trip.
    static constexpr std::chrono::milliseconds watches_after{100};

    enum class Node { present, seen_deleted };
    enum class Revocation { none, requested, told };

    NodeLease(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now);

    std::shared_ptr<NodeLease> self() { return std::static_pointer_cast<NodeLease>(shared_from_this()); }
    std::weak_ptr<NodeLease> weak_self() { return self(); }
    bool ends_holding(SessionState state) const noexcept { return policy_ && policy_->ends_holding(state); }
    LeaseState state_at(Hold::Time now) noexcept; // from any thread
    void settle_later() noexcept;                 // from any thread
    void watch_own();
    void watch_soon();
    void on_expired() override { settle_loss(Node::present); }
    void on_own_event(const WatchEvent& event);
    void on_own_read(const zk::Reply& reply);
    bool is_revocable() const;
    void drop_listener() noexcept; // from any thread
    void on_made_revocable();
    void on_revocation_requested();
    void tell_of_revocation();
    void lose(Node node, const SessionEvent& session);
    void lose(Node node) { lose(node, view_->session()); }
    void settle_loss(Node node, const SessionEvent& session);
    void settle_loss(Node node) { settle_loss(node, view_->session()); }
    void ask_whether_session_lives();
    void explain_by_session(const SessionEvent& session);
    void explain(error_code why);
    std::chrono::nanoseconds margin() const; // of its session
    void report_end();
    void remove_kept(ClientView& through, std::function<void(error_code)> done);
    void settle_release(ClientView& through, std::function<void(error_code)> done);

    const std::shared_ptr<ClientView> view_; // without the observation of the call that acquired the lease
    const std::string path_;
    const std::string encoded_data_;
    const std::int64_t czxid_;
    const std::int64_t token_;
    const std::uint64_t epoch_;
    const std::optional<PermitUsage> usage_;
    const std::shared_ptr<session::ValidityClock> clock_;
    const std::shared_ptr<const ErrorPolicy> policy_;
    const BootNow boot_now_;
    std::atomic<bool> keeps_node_{false};
    std::stop_source stop_;
    mutable std::mutex listener_mutex_;
    RevocationListenerPtr listener_; // while it is held

    bool interrupted_ = false;                                // the connection broke since the last answer
    bool settled_ = false;                                    // settle_loss() has run
    bool node_kept_ = false;                                  // the node stays until the release
    std::optional<error_code> why_lost_;                      // when it is known
    std::vector<std::function<void(error_code)>> to_explain_; // wait for why_lost_
    Registration news_of_session_;                            // a session event will explain the loss
    Registration watch_timer_;
    zk::WatchSink own_watch_; // set while a read with a watch is under way, and while the watch is set
    Revocation revocation_ = Revocation::none;
    Listeners<error_code> waiting_;
};

} // namespace docent::detail
