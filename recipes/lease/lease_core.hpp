// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a Lease holds: a node of its own (node_lease.hpp), or a part in one that the process shares (local/local_hold.hpp).

#include "client/core/operation.hpp"
#include "lease/hold.hpp"
#include "lease/lease_story.hpp"
#include "revocation/listener.hpp"

#include <docent/recipes/lease.hpp>
#include <docent/recipes/permit_usage.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace docent::detail {

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

/// Held, then lost, expired or released: whichever comes first is final.
class LeaseCore : public std::enable_shared_from_this<LeaseCore> {
public:
    virtual ~LeaseCore() = default;

    // ---- from any thread
    virtual LeaseState state() noexcept = 0;
    bool owns() noexcept {
        const auto now = state();
        return now == LeaseState::held || now == LeaseState::suspended;
    }
    virtual std::chrono::nanoseconds remaining() noexcept = 0;
    virtual std::optional<std::chrono::nanoseconds> remaining_hold() noexcept = 0; // nothing: for ever
    /// Nothing if it is over.
    virtual std::optional<Hold::Time> held_until() const noexcept = 0;
    virtual error_code extend(std::chrono::milliseconds from_now) noexcept = 0;
    virtual std::stop_token stop_token() noexcept = 0;
    virtual const std::string& path() const noexcept = 0;
    virtual std::string data() const = 0; // not compressed
    virtual const std::string& encoded_data() const noexcept = 0;
    virtual std::int64_t czxid() const noexcept = 0;
    virtual std::int64_t fencing_token() const noexcept = 0;
    /// Which of the holds of its node it is.
    virtual std::uint64_t hold_number() const noexcept = 0;
    virtual std::uint64_t epoch() const noexcept = 0;
    virtual const std::optional<PermitUsage>& usage() const noexcept = 0;
    virtual const BootNow& boot_now() const noexcept = 0;
    virtual const std::shared_ptr<ClientView>& view() const noexcept = 0;
    /// Tells `listener` when somebody asks for the lock, once in all the lease's life; null: nobody. Reads the node soon, for
    /// it may have been asked for before.
    virtual void make_revocable(RevocationListenerPtr listener) = 0;
    /// A loss, or an expiry, leaves the node until the release.
    virtual void keep_node_when_lost() noexcept = 0;
    /// Nobody else gets the node when this one is released: something stands beside it that is this one's.
    virtual void share_node_no_more() noexcept = 0;
    /// Gives it back, if nobody has to be asked, or told. False: nothing was done.
    virtual bool release_at_once() noexcept = 0;
    /// Not held any more from now on; the node goes as soon as the strand comes to it, if it does. The listener has gone when
    /// this returns. Until when it might have been held; nothing if it was over.
    virtual std::optional<Hold::Time> release_later() noexcept = 0;

    // ---- on the strand
    /// `story` hears of all that happens to it; before anybody else knows the lease.
    virtual void trace(std::shared_ptr<LeaseStory> story) = 0;
    /// The holder is to end what it does; it holds the lock until the release.
    virtual void ask_to_stop() noexcept = 0;
    /// Calls `done` when the server has confirmed the removal or the connection broke, and `error::lease_lost` if there was
    /// nothing to release any more. `through`: this client, as the call that releases sees it.
    virtual void release(ClientView& through, std::function<void(error_code)> done) = 0;
    /// Calls `done` when the lease is lost or expires, or with `operation_aborted` when it is released; at once if it is
    /// already. Dropping the registration ends that.
    virtual Registration when_over(std::function<void(error_code)> done) = 0;

    /// Null if nobody listens.
    const std::shared_ptr<LeaseStory>& story() const noexcept { return story_; }

protected:
    std::shared_ptr<LeaseStory> story_;
};

/// What came of a wish; `core` if it is a lease. On the strand.
inline void conclude(const std::shared_ptr<LeaseStory>& story, error_code ec, LeaseCore* core) {
    if (!story) return;
    if (!core) return story->on_refused(ec);
    story->on_granted();
    core->trace(story);
}

} // namespace docent::detail
