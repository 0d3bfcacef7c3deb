// SPDX-License-Identifier: Apache-2.0
#pragma once

// Acquires several locks, all or none: events in, actions out. Pure.
//
// The locks have an order that is the same for all clients. The machine tries all missing locks at once. While it waits for the
// first lock that is not free, it holds only locks that come earlier in this order. So waiters never form a cycle.

#include "base/time_over.hpp"
#include "queue/acquire_machine.hpp" // WaitMode

#include <docent/error.hpp>

#include <cstddef>
#include <functional>
#include <variant>
#include <vector>

namespace docent::detail {

/// Try the lock.
struct TryLock {
    std::size_t lock;
    bool operator==(const TryLock&) const = default;
};
/// Wait for the lock, without a limit.
struct AwaitLock {
    std::size_t lock;
    bool operator==(const AwaitLock&) const = default;
};
/// Abort the attempt. If it still gets a lease, release the lease.
struct AbortAttempt {
    std::size_t lock;
    bool operator==(const AbortAttempt&) const = default;
};
/// Release the lease of the lock.
struct GiveBack {
    std::size_t lock;
    bool operator==(const GiveBack&) const = default;
};
/// All locks are held. No action follows.
struct GrantAll {
    bool operator==(const GrantAll&) const = default;
};
/// No lock is held. `errors` has an entry for each lock; it is empty for a lock without an error. No action follows.
struct FailAll {
    error_code ec;
    std::vector<error_code> errors;
    bool operator==(const FailAll&) const = default;
};
using MultiAction = std::variant<TryLock, AwaitLock, AbortAttempt, GiveBack, GrantAll, FailAll>;
using MultiActions = std::vector<MultiAction>;

class MultiMachine {
public:
    /// `owns`: whether a lock that was obtained is certainly still held at this moment.
    using Owns = std::function<bool(std::size_t lock)>;

    MultiMachine(std::size_t locks, WaitMode wait_mode, Owns owns);

    MultiActions start();

    // The answer to TryLock and AwaitLock.
    MultiActions on_obtained(std::size_t lock);
    MultiActions on_failed(std::size_t lock, error_code ec);

    /// A lock that was obtained is lost.
    MultiActions on_lost(std::size_t lock);
    /// The call's time is over (`error::not_acquired`, `error::not_connected`), or the caller has cancelled.
    MultiActions on_abort(error_code ec);

private:
    enum class Step {
        idle,
        trying,    // tries all missing locks at once
        waiting,   // waits for one lock, and holds no later one
        giving_up, // waits until all attempts have answered, to report their errors
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

    WaitMode wait_mode_;
    Owns owns_;
    Step step_ = Step::idle;
    std::vector<Lock> locks_;
    std::vector<error_code> errors_;
};

} // namespace docent::detail
