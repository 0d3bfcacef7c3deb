// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a Lease shares with the client: its node, and whether it is still ours.

#include "client/core/operation.hpp"
#include "lease/hold.hpp"
#include "revocation/listener.hpp"

#include <docent/recipes/lease.hpp>
#include <docent/recipes/permit_usage.hpp>

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

/// The clock that leases are judged by; called from any thread.
using BootNow = std::function<session::BootClock::time_point()>;

/// The node that makes somebody the holder.
struct GrantedNode {
    std::string path;
    std::int64_t czxid = 0;
    std::uint64_t epoch = 0;                // of the session that owns it
    std::int64_t token = 0;                 // of a hold that goes on in this node; 0: it begins, and has the czxid as its token
    zk::WatchSink own_watch = nullptr;      // armed on it, if any
    std::string data = {};                  // as it was sent
    std::optional<PermitUsage> usage = {};  // of the semaphore, if it is one's
    Hold::Time held_until = Hold::for_ever; // at most
};

/// Held, then lost, expired or released: whichever comes first is final. Members are called on the strand unless they say
/// otherwise.
class LeaseCore final : public KeptAlive, public std::enable_shared_from_this<LeaseCore> {
public:
    static std::shared_ptr<LeaseCore> make(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now);

    // From any thread.
    LeaseState state() noexcept;
    bool owns() noexcept;
    std::chrono::nanoseconds remaining() noexcept;
    std::optional<std::chrono::nanoseconds> remaining_hold() noexcept; // nothing: for ever
    /// Nothing if it is over.
    std::optional<Hold::Time> held_until() const noexcept { return hold_.until(); }
    error_code extend(std::chrono::milliseconds from_now) noexcept;
    std::stop_token stop_token() const noexcept { return stop_.get_token(); }
    const std::string& path() const noexcept { return path_; }
    std::string data() const; // not compressed
    const std::string& encoded_data() const noexcept { return encoded_data_; }
    std::int64_t czxid() const noexcept { return czxid_; }
    std::int64_t fencing_token() const noexcept { return token_; }
    std::uint64_t epoch() const noexcept { return epoch_; }
    const std::optional<PermitUsage>& usage() const noexcept { return usage_; }
    const BootNow& boot_now() const noexcept { return boot_now_; }
    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    /// Tells `listener` when somebody asks for the lock, once in all the lease's life; null: nobody. Reads the node soon, for
    /// it may have been asked for before.
    void make_revocable(RevocationListenerPtr listener);
    /// A loss, or an expiry, leaves the node until the release.
    void keep_node_when_lost() noexcept { keeps_node_.store(true, std::memory_order_relaxed); }
    /// The holder is to end what it does; it holds the lock until the release. On the strand.
    void ask_to_stop() noexcept { stop_.request_stop(); }
    /// Not held any more from now on; the node goes as soon as the strand comes to it. The listener has gone when this returns.
    /// Until when it might have been held; nothing if it was over.
    std::optional<Hold::Time> release_later() noexcept;

    /// Calls `done` when the server has confirmed the removal or the connection broke, and `error::lease_lost` if there was
    /// nothing to release any more. `through`: this client, as the call that releases sees it.
    void release(ClientView& through, std::function<void(error_code)> done);

    /// Calls `done` when the lease is lost or expires, or with `operation_aborted` when it is released; at once if it is
    /// already. Dropping the registration ends that.
    Registration when_over(std::function<void(error_code)> done);

    void on_heartbeat() override;
    void on_session_event(const SessionEvent& event) override;

private:
    enum class Node { present, seen_deleted };
    enum class Revocation { none, requested, told };

    LeaseCore(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now);

    bool ends_holding(SessionState state) const noexcept { return policy_ && policy_->ends_holding(state); }
    LeaseState state_at(Hold::Time now) noexcept; // from any thread
    void settle_later() noexcept;                 // from any thread
    bool has_lapsed() const noexcept;             // lost, or expired
    void await_expiry();
    void watch_own();
    void on_own_event(const WatchEvent& event);
    void on_own_read(const zk::Reply& reply);
    bool is_revocable() const;
    void drop_listener() noexcept; // from any thread
    void on_made_revocable();
    void on_revocation_requested();
    void tell_of_revocation();
    void lose(Node node);
    void settle_loss(Node node);
    void remove_kept(ClientView& through, std::function<void(error_code)> done);
    void settle_release(ClientView& through, std::function<void(error_code)> done);
    void tell(error_code ec);

    const std::shared_ptr<ClientView> view_; // the call that acquired it is over: not that call's
    const std::string path_;
    const std::string encoded_data_;
    const std::int64_t czxid_;
    const std::int64_t token_;
    const std::uint64_t epoch_;
    const std::optional<PermitUsage> usage_;
    const std::shared_ptr<session::SessionClock> clock_;
    const std::shared_ptr<const ErrorPolicy> policy_;
    const BootNow boot_now_;
    Hold hold_;
    std::atomic<bool> keeps_node_{false};
    std::stop_source stop_;
    mutable std::mutex listener_mutex_;
    RevocationListenerPtr listener_; // while it is held

    bool interrupted_ = false; // the connection, since it was last there
    bool settled_ = false;     // what the end of the lease asks for has been done
    bool node_kept_ = false;   // but for the node, which goes with the release
    Registration expiry_;
    zk::WatchSink own_watch_; // while a read is under way, or the watch that it has set
    Revocation revocation_ = Revocation::none;
    std::vector<std::weak_ptr<std::function<void(error_code)>>> waiting_;
};

} // namespace docent::detail
