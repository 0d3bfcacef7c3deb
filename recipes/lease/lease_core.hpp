// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/listeners.hpp"
#include "client/core/operation.hpp"
#include "lease/hold.hpp"
#include "lease/lease_span.hpp"
#include "names/node_name.hpp"
#include "revocation/request.hpp"

#include <docent/detail/deadline.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/recipes/lock_options.hpp>
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
#include <string_view>

namespace docent {

class Client;

} // namespace docent

namespace docent::detail {

/// Checks the options. Encodes `node_data`, with the owner in it. Throws Error: `server_error::bad_arguments` if an option is
/// invalid, `error::corrupt_data` if the data cannot be compressed.
LeaseTerms lease_terms(const ClientView& view, const std::string& path, LockOptions options);

/// The data of a node with these terms, as it is sent.
const std::string& data_of_node(const ClientView& view, const LeaseTerms& terms);
/// The request for a new node of a lock. `path`: the parent's path, and the token of the name, such as `/locks/a/lock-`.
zk::CreateRequest make_queue_node(const ClientView& view, const LeaseTerms& terms, std::string_view path,
                                  std::string_view guid);

/// The checked arguments of the constructor of a lock.
struct LockArguments {
    std::shared_ptr<ClientView> view;
    std::string path;
    LeaseTerms terms = {};
    OtherNamesPtr others = nullptr; // names of other libraries in the queue; null if there are none
};
/// What a lock grants. For permits, check_lock() refuses `others`, `keep_for` and `max_local_handovers`.
enum class Grants { locks, permits };

/// `type`: the type of the lock, for messages. Throws Error: the path is invalid, an option is invalid or refused, or the
/// client is closed or of another process.
LockArguments check_lock(const Client& client, const char* type, std::string_view path, LockOptions options,
                         Grants grants = Grants::locks);

// The implementation of a Lease. A NodeLease has a separate node (node_lease.hpp). A LocalHold shares a node with other holds
// of the process (local/local_queue.hpp).

/// A node that holds the lock, from which NodeLease::make() makes a lease.
struct GrantedNode {
    std::string path;
    std::int64_t czxid = 0;
    std::uint64_t epoch = 0;                // of the session that owns the node
    std::int64_t token = 0;                 // the token of an earlier hold that continues; 0: the token is the czxid
    zk::WatchSink own_watch = nullptr;      // the watch that is set on the node, if any
    std::string data = {};                  // as it was sent
    std::optional<PermitUsage> usage = {};  // of the semaphore
    Hold::Time held_until = Hold::for_ever; // the latest end of the hold
};

/// The node that a lease holds, and the client that has made it.
struct HeldNode {
    std::shared_ptr<ClientView> view; // without the Observation (retries, trace) of the call that acquired the lease
    BootNow boot_now;
    std::string path;
    std::string encoded_data; // as it was sent
    std::int64_t czxid;
    std::int64_t token;
    std::uint64_t epoch;
    std::optional<PermitUsage> usage;
};

/// Everything that learns of a lease's end, or of a request for its lock.
struct LeaseAudience {
    std::stop_source stop;
    Listeners<error_code> waiting;  // of when_over()
    RevocationListenerPtr listener; // while it is held
    bool told = false;              // the listener was called
};

/// A lease is held, and then lost, expired or released. The first end is final.
class LeaseCore : public std::enable_shared_from_this<LeaseCore> {
public:
    virtual ~LeaseCore() = default;

    // ---- from any thread
    virtual LeaseState state() noexcept = 0;
    bool owns() noexcept {
        const auto now = state();
        return now == LeaseState::held || now == LeaseState::suspended;
    }
    std::chrono::nanoseconds remaining() noexcept;
    std::optional<std::chrono::nanoseconds> remaining_hold() noexcept; // nothing: for ever
    /// How long the session certainly lives.
    virtual std::chrono::nanoseconds margin() const noexcept = 0;
    /// Nothing if the hold has ended.
    std::optional<Hold::Time> held_until() const noexcept { return hold_.until(); }
    error_code extend(std::chrono::milliseconds from_now) noexcept;
    std::stop_token stop_token() noexcept;
    virtual const HeldNode& node() const noexcept = 0;
    const std::shared_ptr<ClientView>& view() const noexcept { return node().view; }
    const BootNow& boot_now() const noexcept { return node().boot_now; }
    const std::string& path() const noexcept { return node().path; }
    std::string data() const; // not compressed, and without the owner
    std::int64_t czxid() const noexcept { return node().czxid; }
    std::int64_t fencing_token() const noexcept { return node().token; }
    std::uint64_t epoch() const noexcept { return node().epoch; }
    /// The number of this hold among the holds of its node.
    virtual std::uint64_t hold_number() const noexcept { return 1; }
    /// Calls `listener` when another client asks for the lock, once in the lease's life; null: no listener. Reads the node
    /// soon, because there may be a request already.
    void make_revocable(RevocationListenerPtr listener);
    /// After a loss or an expiry, the node stays until the release.
    virtual void keep_node_when_lost() noexcept = 0;
    /// From now on, no further hold enters this node. For a downgrade: the next hold would write while this holder reads.
    virtual void share_node_no_more() noexcept {}
    /// Releases, if that needs no request and no other thread. Returns false, and does nothing, otherwise.
    virtual bool release_at_once() noexcept { return false; }
    /// Ends the hold now. The strand removes the node later, if the strand still runs. The listener is destroyed when this
    /// returns. Returns the earlier held_until(); nothing if the hold had ended.
    virtual std::optional<Hold::Time> release_later() noexcept = 0;

    // ---- on the strand
    /// Sets the span that reports events of this lease to a tracer. Call it before any other thread knows the lease.
    virtual void trace(std::shared_ptr<LeaseSpan> span) = 0;
    /// Requests a stop at the tokens of the lease, which asks the holder to end its work. Does not end the hold.
    void ask_to_stop() noexcept;
    /// Another client asks for the lock.
    void on_asked_for();
    /// Releases, and calls `done` when the server has confirmed the removal or the connection broke. The error is
    /// `error::lease_lost` if the hold was lost or had expired. `through`: the view of the call that releases.
    virtual void release(ClientView& through, std::function<void(error_code)> done) = 0;
    /// Calls `done` when the lease is lost or expires, or with `operation_aborted` when it is released; at once if it has ended
    /// already. Dropping the registration cancels this.
    Registration when_over(std::function<void(error_code)> done);

    /// Null without a tracer.
    const std::shared_ptr<LeaseSpan>& span() const noexcept { return span_; }

protected:
    explicit LeaseCore(Hold::Time held_until) : hold_(held_until) {}

    bool has_lapsed() const noexcept; // lost or expired
    /// Sets a timer for the end of the hold, if the hold has a time limit. On the strand. The timer's clock stops while the
    /// machine is suspended, so state() also compares the time.
    void await_expiry();

    /// Makes the audience. Most short holds have none. Under the mutex, or before any other thread knows the lease. A thread
    /// that ends the hold and then asks has_audience() sees the audience, or this thread sees the end: it writes
    /// has_audience_ and then reads the hold, and all four accesses have one order (memory_order_seq_cst).
    void need_audience();
    bool has_audience() const noexcept { return has_audience_; } // after the end of the hold: pairs with need_audience()
    bool has_listener() const;
    void tell_of_request(const RevocationListenerPtr& listener); // on the listener's executor
    void drop_listener() noexcept;                               // from any thread
    /// Stops the tokens after a loss or an expiry, and answers the functions that wait. On the strand.
    void tell_end();

    Hold hold_;
    Registration expiry_; // on the strand
    std::shared_ptr<LeaseSpan> span_;

private:
    /// The timer has found that the hold is over.
    virtual void on_expired() {}
    /// Whether when_over() has nothing to wait for. On the strand.
    virtual bool is_over() noexcept = 0;
    /// Makes sure that the audience learns of the end. From any thread, after need_audience(): an end that happens in between
    /// has seen the audience, or is seen here.
    virtual void attend() {}
    /// The listener was set. On the strand.
    virtual void on_made_revocable() = 0;
    /// What the functions of when_over() get after the end.
    error_code end_code() const noexcept;

    mutable std::mutex audience_mutex_;
    std::optional<LeaseAudience> audience_;
    std::atomic<bool> has_audience_{false};
};

/// Reports the result of a request for a lock; `core` is the lease, or null. On the strand.
void conclude(const std::shared_ptr<LeaseSpan>& span, error_code ec, LeaseCore* core);

/// The interface of a lock to an InterProcessMultiLock, which takes a lease of each member. Members may be called from any
/// thread.
class LockSource {
public:
    virtual ~LockSource() = default;

    virtual const std::shared_ptr<ClientView>& view() const noexcept = 0;
    /// The path as the user gave it. Two locks with one path on the servers count as one.
    virtual const std::string& path() const noexcept = 0;
    /// Whether the calling thread holds the lock, and so would wait for itself.
    virtual bool held_by_this_thread() const { return false; }

    /// Makes an attempt, which begins later. `view` is view(), or observes it. The attempt completes once, and at once when it
    /// is aborted. The error is `error::not_acquired` if `wait` allows no wait and the lock is not free.
    virtual std::shared_ptr<Operation> attempt(std::shared_ptr<ClientView> view, AcquireWait wait, Done<Lease> done) const = 0;
};

} // namespace docent::detail
