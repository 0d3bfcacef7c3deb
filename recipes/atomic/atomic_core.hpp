// SPDX-License-Identifier: Apache-2.0
#pragma once

// An atomic value: its marker, the state that all calls share, and one change.

#include "atomic/atomic_machine.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/parents/parents.hpp"
#include "client/transaction/marker_pool.hpp"
#include "lease/lease_core.hpp"
#include "zk/request.hpp"

#include <docent/recipes/distributed_atomic_value.hpp>
#include <docent/recipes/lease.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

/// The marker of an AtomicCore: makes the writes with it, and evaluates their replies. The node stays while the atomic value's
/// object is in use, also in later sessions. Pure.
class AtomicMarker : public WriteMarker {
public:
    using WriteMarker::WriteMarker;

    /// The next write of the value at `path`. `data`: encoded, as it is sent.
    zk::Request write(const std::string& path, std::string data, const WriteValue& how);
    WriteAnswer on_written(const zk::Reply& reply);
};

/// The state of an atomic value: the queue of its calls, the last known value, and the marker. Members are called on the
/// strand, unless they say otherwise.
class AtomicCore : public std::enable_shared_from_this<AtomicCore> {
public:
    /// `abandoned_after`: a marker without a write for this time counts as abandoned.
    AtomicCore(std::shared_ptr<ClientView> view, std::string path, AtomicOptions options,
               BootNow boot_now = &session::BootClock::now, std::chrono::milliseconds abandoned_after = std::chrono::hours{24})
        : view_(std::move(view)), path_(std::move(path)), options_(std::move(options)), boot_now_(std::move(boot_now)),
          abandoned_after_(abandoned_after) {}

    // From any thread.
    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::string& path() const { return path_; }
    const AtomicOptions& options() const { return options_; }
    const BootNow& boot_now() const { return boot_now_; }

    /// Calls `begin` when all earlier calls on the value have ended.
    void take_turn(std::function<void()> begin);
    void end_turn();

    /// The node as it was read, if no change is known since.
    const std::optional<SeenValue>& known() const { return known_; }
    /// Reads the node with a watch. `through`: the view of the call. Errors: `error::corrupt_data`.
    void read(ClientView& through, std::function<void(error_code, SeenValue)> done);

    /// The present marker. Makes a new object without one; its node is created later.
    AtomicMarker& marker();
    /// Drops an unusable marker. The next call gets another one.
    void drop_marker();
    /// Examines some markers of other objects, once, and removes those without a write for `abandoned_after`: their processes
    /// have probably died. A process that still lives makes another marker. `now`: the time on the servers' clock.
    void clear_away_markers(std::int64_t now);
    /// Called when the public object is destroyed. Drops the watch at once, and the marker after the last call.
    void stop();

private:
    void forget() { known_.reset(); }
    void look_at_marker(const std::string& path, std::int64_t now);

    const std::shared_ptr<ClientView> view_;
    const std::string path_;
    const AtomicOptions options_;
    const BootNow boot_now_;
    const std::chrono::milliseconds abandoned_after_;

    bool busy_ = false; // a call is under way
    std::deque<std::function<void()>> waiting_;

    std::optional<SeenValue> known_;
    zk::WatchSink watch_; // set by the last read
    Registration session_;

    std::optional<AtomicMarker> marker_;
    bool cleared_away_ = false;
    bool stopped_ = false;
};

/// Carries out the actions of an AtomicMachine, after the earlier calls on the value.
class AtomicOperation final : public ConnectedOperation<AtomicBytes> {
public:
    /// The retry policies come from the core's options, and not from `plan`.
    AtomicOperation(std::shared_ptr<ClientView> view, std::shared_ptr<AtomicCore> core, AtomicMachine::Plan plan,
                    Done<AtomicBytes> done);

    void begin() override;
    void abort(error_code ec) override;
    Awaited awaited() const override;
    bool in_doubt() const override { return machine_ && machine_->in_doubt() && !making_marker_; }

private:
    /// A write, with the answers to the requests sent with it.
    struct Flight {
        SharedParentAnswers parents = nullptr;   // set if creates of parents were sent
        std::optional<WriteAnswer> refused = {}; // kept until the read is answered, too
        bool read = false;
        std::optional<SeenValue> behind = {};
    };

    void perform(const AtomicAction& action);
    void act(const ReadValue& action);
    void act(const WriteValue& action);
    void act(const FindOut& action);
    void act(const PauseAtomic& action);
    void act(const TakeMutex& action);
    void act(const FinishAtomic& action);
    void make_marker(std::function<void(error_code)> then);
    void with_marker(std::function<void()> next, SharedParentAnswers parents = nullptr);
    void send(const WriteValue& action, std::string data);
    void on_written(Flight& flight, const zk::Reply& reply);
    void on_read_behind(Flight& flight, error_code ec, SeenValue seen);
    void on_refused(Flight& flight);
    void complete(error_code ec, AtomicBytes result);

    std::shared_ptr<AtomicCore> core_;
    AtomicMachine::Plan plan_;
    std::optional<AtomicMachine> machine_;
    bool has_turn_ = false;
    bool making_marker_ = false;         // before the first write
    std::shared_ptr<Operation> acquire_; // while it waits for the mutex
    Lease mutex_;
};

} // namespace docent::detail
