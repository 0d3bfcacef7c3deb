// SPDX-License-Identifier: Apache-2.0
#pragma once

// A candidate of an election: enters the queue, tries again after an obstacle, and knows whether it leads. Derived classes
// decide what happens with a leadership.

#include "client/core/operation.hpp"
#include "lease/lease_core.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/recipes/leader_latch.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace docent::detail {

/// Members are called on the strand unless they say otherwise.
class Candidate : public std::enable_shared_from_this<Candidate> {
public:
    /// The recipe that makes the nodes, and the names for tracers of the calls that read the participants.
    struct Election {
        RecipeKind recipe;
        const char* participants_call;
        const char* leader_call;
    };

    Candidate(std::shared_ptr<ClientView> view, Election election, QueuePlace place, std::string id, BootNow boot_now);
    virtual ~Candidate() = default;
    Candidate(const Candidate&) = delete;
    Candidate& operator=(const Candidate&) = delete;

    // From any thread.
    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    const std::string& path() const noexcept { return place_->path; }
    const std::string& id() const noexcept { return id_; }
    LatchState state() const noexcept { return state_; }
    Leadership leadership() const noexcept; // null if this candidate does not certainly lead
    /// Errors: `error::closed`, `error::other_process`.
    error_code start();
    /// Reads the participants from the servers, in the order of their future leadership. read_leader() gives the first.
    void read_participants(CallOptions call, Handler<std::vector<Participant>> handler) const;
    void read_leader(CallOptions call, Handler<std::optional<Participant>> handler) const;
    // Their blocking forms.
    std::vector<Participant> participants(CallOptions call, error_code& ec) const;
    std::vector<Participant> participants(CallOptions call) const;
    std::optional<Participant> leader(CallOptions call, error_code& ec) const;
    std::optional<Participant> leader(CallOptions call) const;

protected:
    bool takes_part() const noexcept { return state() == LatchState::started; }
    bool is_queuing() const noexcept { return attempt_ || pause_; } // also in the pause before the next attempt
    void enter();                                                   // only if it neither waits in the queue nor leads
    void enter_later();
    void end();      // closes the candidate: it does not enter any more, and accepts no leadership
    void withdraw(); // leaves the queue
    Leadership begin_leadership(GrantedNode node);
    Leadership end_leadership();

private:
    virtual void on_started() = 0;
    virtual void on_granted(GrantedNode node) = 0;
    virtual void on_hindered(error_code ec) = 0; // before the pause and the next attempt
    virtual void on_client_closed() = 0;

    void on_attempt(error_code ec, GrantedNode node);

    const std::shared_ptr<ClientView> view_;
    const Election election_;
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
