// SPDX-License-Identifier: Apache-2.0
#pragma once

// A contender in a small world.

#include "observers/referee.hpp"
#include "picture/peek.hpp"
#include "scenario/lock_request.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace docent::explorer {

using detail::AttemptPtr;
using detail::LeaseCore;
using detail::LeaseCorePtr;
using detail::LockRequest;

/// Starts, waits, holds, perhaps downgrades or commits, releases, and is done. A keeper idles after the release. Then it starts
/// again, or releases the kept lock.
class Contender {
public:
    enum class State { fresh, waiting, holding, downgrading, committing, releasing, idle, done };

    /// `number`: from 1, among all contenders.
    Contender(detail::FakeWorld& world, detail::Ledger& ledger, std::size_t client, std::size_t number, LockRequest request);

    std::size_t client() const { return client_; }
    State state() const { return state_; }
    void start();
    void cancel();
    /// Downgrades or commits if it should, otherwise releases. An idle keeper starts again, or releases the kept lock.
    void proceed();
    /// Handles the results of its operations.
    void look();

    /// Returns the leases that the contender owns. The question has no effect on them.
    std::vector<LeaseCorePtr> owned() const;
    bool keeps() const { return request_.keep != nullptr; }
    bool starts_again() const { return state_ == State::idle && holds_had_ < request_.holds; }
    /// Returns true if leases of the present or the last hold were uncertain at some time.
    bool was_in_doubt() const { return was_in_doubt_; }
    bool is_busy() const { return state_ == State::waiting || state_ == State::downgrading || state_ == State::committing; }
    /// Its operation may look at other contenders' nodes.
    bool wants_in() const {
        const bool holds = state_ == State::holding || state_ == State::releasing || state_ == State::committing;
        return keeps() || !(state_ == State::done || (holds && (!request_.downgrades || downgrade_)));
    }
    /// It has a lock, or may still be granted one.
    bool may_own() const { return keeps() || (state_ != State::done && state_ != State::releasing); }
    /// An operation or release has not ended.
    bool has_operation() const;
    /// Returns the error of an operation that has just failed.
    error_code take_failure() { return std::exchange(failure_, {}); }
    void write(detail::TextBuilder& out) const;
    /// Returns what its operation knows; see peek.hpp.
    std::optional<std::string> peek(const PeekTerms& terms) const;
    /// No answer changes anything any more.
    bool is_deaf() const;

    bool cancelled = false;
    std::string complaint;

private:
    void complain(const std::string& text) {
        if (complaint.empty()) complaint = text;
    }
    void begin_release();
    void commit();
    void on_committed(const error_code& ec);
    std::vector<LeaseCorePtr> leases() const;
    bool is_certain() const; // its session is certain

    detail::FakeWorld& world_;
    detail::Ledger& ledger_;
    const std::size_t client_;
    const std::size_t number_;
    const LockRequest request_;
    const std::string value_; // to commit
    State state_ = State::fresh;
    AttemptPtr attempt_;
    AttemptPtr downgrade_;
    std::shared_ptr<detail::Attempt> commit_;
    std::vector<LeaseCorePtr> held_;
    bool was_in_doubt_ = false; // its leases were uncertain at some time
    error_code failure_;
    int holds_had_ = 0;
    std::shared_ptr<detail::MutexCore> kept_;
    std::shared_ptr<std::size_t> open_releases_ = std::make_shared<std::size_t>(0);
};

} // namespace docent::explorer
