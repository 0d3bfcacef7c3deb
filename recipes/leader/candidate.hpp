// SPDX-License-Identifier: Apache-2.0
#pragma once

// A candidate of an election: enters the queue, tries again after an obstacle, and knows whether it leads. Derived classes
// decide what happens with a lead.

#include "client/core/operation.hpp"
#include "lease/lease_core.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/recipes/leader_latch.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace docent::detail {

/// Members are called on the strand unless they say otherwise.
class Candidate : public std::enable_shared_from_this<Candidate> {
public:
    Candidate(std::shared_ptr<ClientView> view, QueuePlace place, std::string id, BootNow boot_now);
    virtual ~Candidate() = default;
    Candidate(const Candidate&) = delete;
    Candidate& operator=(const Candidate&) = delete;

    // From any thread.
    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    const std::string& path() const noexcept { return place_->path; }
    const std::string& id() const noexcept { return id_; }
    LatchState state() const noexcept { return state_.load(std::memory_order_acquire); }
    Leadership leadership() const noexcept; // null if this candidate does not certainly lead
    /// Errors: `error::closed`, `error::other_process`.
    error_code start();

protected:
    bool takes_part() const noexcept { return state() == LatchState::started; }
    bool is_queuing() const noexcept { return attempt_ || pause_; }
    void enter(); // not while it is in the queue, or leads
    void enter_later();
    void end();      // it does not enter any more, and gets no lead
    void withdraw(); // leaves the queue
    Leadership begin_leadership(GrantedNode node);
    Leadership end_leadership();

private:
    virtual void on_started() = 0;
    virtual void on_granted(GrantedNode node) = 0;
    virtual void on_hindered(error_code ec) = 0; // it tries again after this call
    virtual void on_client_closed() = 0;

    void on_attempt(error_code ec, GrantedNode node);

    const std::shared_ptr<ClientView> view_;
    const SharedPlace place_;
    const std::string id_;
    const BootNow boot_now_;
    std::atomic<LatchState> state_{LatchState::latent};
    mutable std::mutex mutex_;
    Leadership leadership_; // guarded

    std::shared_ptr<AcquireDriver> attempt_; // its completion owns this object
    std::shared_ptr<LeaseSpan> span_;
    Registration pause_; // after a failed attempt
};

} // namespace docent::detail
