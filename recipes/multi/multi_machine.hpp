// SPDX-License-Identifier: Apache-2.0
#pragma once

// All of several locks, or none: events in, actions out. Does no I/O and reads no clock.
//
// Locks are numbered in an order that is the same for everybody. All that are missing are tried at once; while one waits for
// the first of them that is not free, only locks before that one are held. So nobody who waits holds what comes later, and no
// circle of waiters can close.

#include "base/time_over.hpp"
#include "queue/acquire_machine.hpp" // Patience

#include <docent/error.hpp>

#include <cstddef>
#include <functional>
#include <variant>
#include <vector>

namespace docent::detail {

/// Ask for the lock if it is free now.
struct TryLock {
    std::size_t lock;
    bool operator==(const TryLock&) const = default;
};
/// Ask for the lock, for as long as it takes.
struct AwaitLock {
    std::size_t lock;
    bool operator==(const AwaitLock&) const = default;
};
/// Nobody is interested in the answer any more; if it comes nevertheless, with a lease, that is to be given back.
struct AbortAttempt {
    std::size_t lock;
    bool operator==(const AbortAttempt&) const = default;
};
struct GiveBack {
    std::size_t lock;
    bool operator==(const GiveBack&) const = default;
};
/// All are held. Nothing follows.
struct GrantAll {
    bool operator==(const GrantAll&) const = default;
};
/// None is held. `errors` has one for each lock, no error where nothing went wrong. Nothing follows.
struct FailAll {
    error_code ec;
    std::vector<error_code> errors;
    bool operator==(const FailAll&) const = default;
};
using MultiAction = std::variant<TryLock, AwaitLock, AbortAttempt, GiveBack, GrantAll, FailAll>;
using MultiActions = std::vector<MultiAction>;

class MultiMachine {
public:
    /// `owns`: whether what was obtained is certainly still held at this moment.
    using Owns = std::function<bool(std::size_t lock)>;

    MultiMachine(std::size_t locks, Patience patience, Owns owns);

    MultiActions start();

    // The answer to TryLock and AwaitLock.
    MultiActions on_obtained(std::size_t lock);
    MultiActions on_failed(std::size_t lock, error_code ec);

    /// What was obtained is held no more.
    MultiActions on_lost(std::size_t lock);
    /// The call's time is over (`error::not_acquired`, `error::not_connected`), or the caller has cancelled.
    MultiActions on_abort(error_code ec);

private:
    enum class Step {
        idle,
        trying,    // all that were missing, at once
        waiting,   // for one, holding none behind it
        giving_up, // until all have answered, to tell what else went wrong
        done,
    };
    enum class Lock { missing, asked, held };

    bool any(Lock state) const;
    MultiActions try_missing();
    MultiActions decide();
    MultiActions await_first_missing();
    MultiActions give_up();
    MultiActions give_all_back();
    MultiActions finish(MultiActions last, error_code ec);
    error_code verdict() const;

    Patience patience_;
    Owns owns_;
    Step step_ = Step::idle;
    std::vector<Lock> locks_;
    std::vector<error_code> errors_;
};

} // namespace docent::detail
