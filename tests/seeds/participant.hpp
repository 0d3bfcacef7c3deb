// SPDX-License-Identifier: Apache-2.0
#pragma once

// A contender in a large world. It requests a lock, holds it for a while, releases it, and starts again, whatever faults occur.

#include "client/transaction/transaction_operation.hpp"
#include "fake_recipes/actor.hpp"
#include "observers/referee.hpp"
#include "scenario/lock_request.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace docent::seeds {

using detail::FakeWorld;
using detail::LeaseCorePtr;
using detail::Ledger;
using detail::LockRequest;

/// Chances in a turn.
struct Habits {
    double gives_up = 0;           // cancels while it waits
    double hurries = 0;            // waits until a deadline only
    double tries = 0;              // does not wait at all
    double lingers = 0;            // holds for longer than a session can be silent
    double downgrades = 0;         // downgrades its write lock
    double commits = 0;            // commits a guarded transaction while it owns a lock alone
    double drops = 0;              // drops its lease instead of releasing it
    detail::LeaseTerms terms = {}; // of its leases
};

class Participant final : public detail::Actor {
public:
    Participant(FakeWorld& world, Ledger& ledger, std::size_t client, std::vector<LockRequest> requests, int turns,
                Habits habits);

    bool ready() const override { return turns_ > 0 && state_ == State::idle; }
    void act() override;
    /// Handles the effects of the last step.
    void look() override;
    bool finished() const override;

    /// Returns the leases that the participant owns. The question has no effect on them.
    std::vector<LeaseCorePtr> owned() const;
    std::string text() const;

private:
    enum class State { idle, waiting, holding, downgrading, committing, releasing };

    bool is_certain() const; // its session is certain
    void abort(error_code why);
    void on_acquired();
    void go_on(); // after it got its leases
    void downgrade();
    void on_downgraded();
    void commit();
    void on_committed(const error_code& ec, const TransactionResult& result, const std::string& value);
    void release();
    /// Grows with each event that may let a release end without an answer of the server.
    std::uint64_t unanswered() const { return 1 + broken_ + client_->requests_throttled(); }
    void on_released(const error_code& ec, const std::string& path);
    void check_failure(const error_code& ec, const std::string& of);

    Ledger& ledger_;
    const std::vector<LockRequest> requests_;
    int turns_;
    const Habits habits_;

    State state_ = State::idle;
    const LockRequest* request_ = nullptr;
    detail::AttemptPtr attempt_;
    detail::AttemptPtr downgrade_;
    std::weak_ptr<detail::Operation> commit_;
    bool reads_only_ = false;           // after a downgrade
    bool tries_ = false;                // it does not wait for the lock
    bool aborted_ = false;              // by this participant itself
    std::chrono::nanoseconds began_{0}; // when it asked for the lock
    bool in_doubt_ = false;             // its leases were uncertain at some time
    std::vector<LeaseCorePtr> held_;
    std::size_t open_releases_ = 0;
    std::uint64_t unanswered_at_release_ = 0;
    std::size_t broken_ = 0; // number of session events other than `connected`
    detail::Registration listener_;
    int commits_ = 0;
};

} // namespace docent::seeds
