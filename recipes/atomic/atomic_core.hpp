// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "atomic/atomic_marker.hpp"
#include "client/core/operation.hpp"
#include "lease/lease_core.hpp"

#include <docent/recipes/distributed_atomic_value.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace docent::detail {

/// What all calls on one value share: whose turn it is, what is known of the node, and the marker. Members are called on the
/// strand unless they say otherwise.
class AtomicCore : public std::enable_shared_from_this<AtomicCore> {
public:
    /// `abandoned_after`: so long nobody writes to a marker whose object is in use.
    AtomicCore(std::shared_ptr<ClientView> view, std::string path, AtomicOptions options,
               BootNow boot_now = &session::BootClock::now, std::chrono::milliseconds abandoned_after = std::chrono::hours{24})
        : view_(std::move(view)), path_(std::move(path)), options_(std::move(options)), boot_now_(std::move(boot_now)),
          abandoned_after_(abandoned_after) {}

    // From any thread.
    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::string& path() const { return path_; }
    const AtomicOptions& options() const { return options_; }
    const BootNow& boot_now() const { return boot_now_; }

    /// Calls `begin` when all who came before have ended their turn.
    void take_turn(std::function<void()> begin);
    void end_turn();

    /// The node, if it was read, and nothing is known to have changed since.
    const std::optional<SeenValue>& known() const { return known_; }
    /// Reads and watches it. `through`: this client, as the call sees it. Errors: `error::corrupt_data`.
    void read(ClientView& through, std::function<void(error_code, SeenValue)> done);

    /// The present one; made up when there is none.
    AtomicMarker& marker();
    /// It is of no use any more: the next call gets another one.
    void drop_marker();
    /// Once in all: looks at some markers of others, and removes those that nobody has written to for long: their processes
    /// have died. Whoever is alive nevertheless makes another one. `now`: by the servers' clock.
    void clear_away_markers(std::int64_t now);
    /// The object has gone.
    void stop();

private:
    void forget() { known_.reset(); }
    void look_at_marker(const std::string& path, std::int64_t now);

    const std::shared_ptr<ClientView> view_;
    const std::string path_;
    const AtomicOptions options_;
    const BootNow boot_now_;
    const std::chrono::milliseconds abandoned_after_;

    bool busy_ = false; // it is somebody's turn
    std::deque<std::function<void()>> waiting_;

    std::optional<SeenValue> known_;
    zk::WatchSink watch_; // of the last read
    Registration session_;

    std::optional<AtomicMarker> marker_;
    bool cleared_away_ = false;
    bool stopped_ = false;
};

} // namespace docent::detail
