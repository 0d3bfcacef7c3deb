// SPDX-License-Identifier: Apache-2.0
#pragma once

// One participant of an election: enters the queue, leads, and enters again, until it is closed.

#include "client/core/operation.hpp"
#include "lease/lease_core.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/recipes/leader_latch.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace docent::detail {

/// Members are called on the strand unless they say otherwise.
class LatchCore final : public std::enable_shared_from_this<LatchCore> {
public:
    using Listener = std::function<void(const LeadershipEvent&)>;
    using Waiter = std::function<void(error_code, Leadership)>;

    /// `node_data`: the id as it is sent.
    LatchCore(std::shared_ptr<ClientView> view, std::string path, LatchOptions options, std::string node_data,
              BootNow boot_now = &session::BootClock::now);
    LatchCore(const LatchCore&) = delete;
    LatchCore& operator=(const LatchCore&) = delete;

    // From any thread.
    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    const std::string& path() const noexcept { return path_; }
    const std::string& id() const noexcept { return options_.id; }
    LatchState state() const noexcept { return state_.load(std::memory_order_acquire); }
    Leadership leadership() const noexcept; // null if it is not certainly ours
    /// `error::closed`, if it was closed.
    error_code start();

    /// Calls `waiter` when it leads, at once if it does, or cannot enter. Dropping the registration ends that.
    Registration when_leading(Waiter waiter);
    Registration listen(Listener listener);

    /// Both call `done` when the server has confirmed that the lead is given up, or the connection broke. `through`: this
    /// client, as the call sees it.
    void resign(ClientView& through, std::function<void()> done);
    void close(LatchClose how, ClientView& through, std::function<void()> done);

private:
    void enter();
    void on_attempt(error_code ec, GrantedNode node);
    void lead(GrantedNode node);
    void on_over(error_code ec);
    void end();
    void give_up(ClientView& through, std::function<void()> done);
    bool forget_kept();
    void tell(const LeadershipEvent& event);
    void answer(error_code ec, const Leadership& leadership);

    const std::shared_ptr<ClientView> view_;
    const std::string path_;
    const LatchOptions options_;
    const std::string node_data_;
    const BootNow boot_now_;
    std::atomic<LatchState> state_{LatchState::latent};
    mutable std::mutex mutex_;
    Leadership leadership_; // guarded

    std::shared_ptr<AcquireDriver> attempt_; // its completion owns us
    Registration pause_;                     // after one that failed
    std::shared_ptr<LeaseCore> lease_;       // of the leadership
    Leadership kept_;                        // lease_'s, when it is lost and its node stays
    Registration over_;
    std::vector<std::weak_ptr<Waiter>> waiting_;
    std::vector<std::weak_ptr<Listener>> listeners_;
};

} // namespace docent::detail
