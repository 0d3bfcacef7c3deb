// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lease/lease_core.hpp"
#include "queue/acquire_driver.hpp"
#include "semaphore/permit_machine.hpp"
#include "shared/shared_value_core.hpp"

#include <docent/path.hpp>
#include <docent/recipes/lease.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// The number of permits of a semaphore. Members may be called from any thread.
struct PermitLimit {
    /// Errors: `error::corrupt_data`; `error::not_started` or `server_error::invalid_state` if the number is not known yet.
    std::function<std::int32_t(error_code& ec)> now;
    /// Calls `listener` on the client's strand with the present limit and after each change, until the registration is dropped.
    /// Null if the number never changes.
    std::function<Registration(const ClientView& view, std::function<void(std::int32_t)> listener)> follow = nullptr;

    bool is_fixed() const { return !follow; }
};

std::shared_ptr<const PermitLimit> fixed_limit(std::int32_t limit);
/// A limit from a SharedCount.
std::shared_ptr<const PermitLimit> shared_limit(std::shared_ptr<SharedValueCore> count);

/// A semaphore, and the terms of its leases.
struct SemaphorePlace {
    std::string path;
    std::shared_ptr<const PermitLimit> limit;
    LeaseTerms terms = {};
    BootNow boot_now = &session::BootClock::now;
};

/// Bounds a try_acquire() of permits while it waits at the gate. Another caller at the gate may be about to take one permit of
/// many, so the try waits for the gate until the leases show that too few permits are left, or `longest_wait` is over.
/// Time without a connection does not count; the wait for a connection has its own limit (`ClientConfig::connection_timeout`).
class TryAtGate : public std::enable_shared_from_this<TryAtGate> {
public:
    static constexpr std::chrono::seconds longest_wait{1};
    static constexpr std::chrono::milliseconds looks_again_after{100};

    /// `enough`: whether enough permits may be left, for a number of permits taken. `give_up` is called at most once, with the
    /// error of the try: `error::not_acquired`, `error::not_connected` if no server has answered, or the error of reading the
    /// leases.
    TryAtGate(std::shared_ptr<ClientView> view, std::string leases, std::function<bool(std::int32_t)> enough,
              std::function<void(error_code)> give_up);

    void start();
    /// Call it before dropping this object.
    void stop();

private:
    void on_session(const SessionEvent& event);
    void on_connected();
    void look();
    void on_looked(const zk::Reply& reply);
    void give_up(error_code ec);

    std::shared_ptr<ClientView> view_;
    std::string leases_; // path
    std::function<bool(std::int32_t)> enough_;
    std::function<void(error_code)> give_up_;
    zk::WatchSink watch_;
    Registration session_;
    steady_clock::duration left_ = longest_wait;
    std::optional<steady_clock::time_point> connected_since_;
    bool answered_ = false;   // a server has listed the leases
    Registration timer_;      // while connected
    Registration look_timer_; // after a refusal
};

/// A call that acquires permits, all or none: first the gate, then the leases.
class SemaphoreOperation final : public Operation {
public:
    using Permits = std::vector<Lease>;

    /// `count` is at least one.
    SemaphoreOperation(std::shared_ptr<ClientView> view, SemaphorePlace place, std::int32_t count, AcquireWait wait,
                       Done<Permits> done);

    void begin() override;
    void abort(error_code ec) override;
    Awaited awaited() const override { return Awaited::turn; }

private:
    void enter_gate();
    void bound_try(); // limits the time of a try at the gate
    void on_gate(error_code ec, GrantedNode gate);

    void perform(const PermitActions& actions);
    void perform(const CreatePermits& action);
    void perform(const ListPermits& action);
    void perform(const WatchGate& action);
    void perform(const Pause& action);
    void perform(const AwaitSession& action);
    void perform(const BeginAgain& action);
    void perform(const GrantPermits& action);
    void perform(const Fail& action) { finish(action.ec); }
    void perform(const Remove& action) { view_->remove_in_background({join_path(leases_path_, action.name)}); }
    void perform(const RemoveProtected& action) { view_->remove_in_background({leases_path_, action.guid}); }

    void on_session(const SessionEvent& event);
    void on_limit(std::int32_t limit);
    void leave_gate();
    void finish(error_code ec, Permits permits = {});

    std::shared_ptr<ClientView> view_;
    const SemaphorePlace place_;
    const std::string gate_path_;
    const std::string leases_path_;
    const std::int32_t count_;
    AcquireWait wait_;
    Done<Permits> done_;
    std::shared_ptr<Operation> self_; // from begin() until completion
    std::int32_t limit_ = 0;
    std::vector<std::shared_ptr<LeaseSpan>> spans_; // one for each permit, with a tracer

    std::shared_ptr<AcquireDriver> gate_driver_;
    std::shared_ptr<TryAtGate> try_at_gate_;
    std::optional<GrantedNode> gate_;
    ClientSources sources_;
    std::optional<PermitMachine> machine_;

    std::uint64_t step_ = 0; // counts steps, so that replies to earlier steps are ignored
    zk::WatchSink leases_watch_;
    zk::WatchSink gate_watch_;
    Registration limit_listener_;
    Registration session_listener_;
    Registration deadline_;
    StepTimers timers_;
};

// The state of an InterProcessSemaphore.

class SemaphoreCore final : public LockSource {
public:
    SemaphoreCore(std::shared_ptr<ClientView> view, SemaphorePlace place) : view_(std::move(view)), place_(std::move(place)) {}

    // LockSource: one permit
    const std::shared_ptr<ClientView>& view() const noexcept override { return view_; }
    const std::string& path() const noexcept override { return place_.path; }
    std::shared_ptr<Operation> attempt(std::shared_ptr<ClientView> view, AcquireWait wait, Done<Lease> done) const override;

    const SemaphorePlace& place() const noexcept { return place_; }

private:
    const std::shared_ptr<ClientView> view_;
    const SemaphorePlace place_;
};

} // namespace docent::detail
