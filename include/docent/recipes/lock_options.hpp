// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace docent {

/// Nodes of other libraries that take turns in the queue of a lock.
///
/// ```cpp
/// docent::OtherContenders others{.exclusive = {"__lock__"}, .shared = {"__rlock__"}};
/// docent::LockOptions options{.others = others};
/// ```
///
/// A token is the part of a node's name that stands directly before the number which the server
/// appends. Any text may precede the token. A token must not be empty or contain a slash.
/// @ingroup locks
struct OtherContenders {
    /// Tokens of nodes that share the lock with nobody.
    std::vector<std::string> exclusive = {};
    /// Tokens of nodes of readers. Readers may hold the lock together with them; a mutex and
    /// writers may not.
    std::vector<std::string> shared = {};
    /// Whether all members are equal.
    friend bool operator==(const OtherContenders&, const OtherContenders&) = default;
};

/// The nodes of kazoo's Lock, WriteLock and ReadLock (Python).
///
/// The Python program must pass docent's tokens as `extra_lock_patterns`: see
/// docs/recipes/kazoo.md.
/// @ingroup locks
inline OtherContenders kazoo_contenders() {
    return {.exclusive = {"__lock__"}, .shared = {"__rlock__"}};
}

/// The options of a lock object.
///
/// ```cpp
/// docent::LockOptions options{.node_data = "nightly report on db3", .max_hold = 10min};
/// ```
/// @ingroup locks
struct LockOptions {
    /// The data of the lock's nodes, which `docent inspect` shows; without it,
    /// `ClientConfig::default_data`.
    ///
    /// Compressed as `ClientConfig::compression` says. `error::corrupt_data` is thrown if that
    /// fails.
    std::optional<std::string> node_data = {};
    /// The name of the lock in traces and metrics. Only the Tracer of this client sees it.
    ///
    /// Each label makes a time series: use a small, fixed set of labels.
    std::string label = {};
    /// Nodes of other libraries in the queue of a mutex or a read/write lock.
    ///
    /// All docent clients at the path must set the same value. Semaphores refuse it.
    OtherContenders others = {};

    /// The longest time for which a lease is held, from its grant on. `LeaseState::expired`
    /// follows. Lease::extend() prolongs it.
    ///
    /// Without it, or from a hundred years on, there is no limit. Each lease has a limit of its
    /// own: each permit of a semaphore, and each lock of a multi-lock. For a thread the time runs
    /// from its first lock() on. A downgraded lease keeps the rest of the write lease's time.
    /// Waiters see no difference.
    ///
    /// Errors: `server_error::bad_arguments` if it is not longer than 0.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// The longest time for which the lock's node stays after the last hold in this process has
    /// ended; 0: none.
    ///
    /// While the node stays and no other client wants the lock, threads and tasks of this process
    /// lock and unlock without a request. That works for all objects of one client with the same
    /// path and options. When another client enters the queue, docent or not, this process is
    /// recalled: it admits no further hold and removes the node after the present holds. Nodes of
    /// readers in several processes do not recall each other.
    ///
    /// Only for a mutex and a read/write lock; semaphores refuse it. See
    /// docs/recipes/kept_leases.md.
    std::chrono::milliseconds keep_for{0};

    /// How many times in a row a lock is handed over within this process while other clients wait
    /// for it.
    ///
    /// With more than 0, the waiters of this process share one node, in the order of their arrival.
    /// With 0 each waiter has a node of its own, and the order of arrival at the server is strict.
    ///
    /// If this option or `keep_for` is set, a reader joins other waiting readers of its process.
    /// Semaphores refuse it.
    std::uint32_t max_local_handovers = 0;

    /// The thread or task that takes this lock, for `docent deadlocks`.
    ///
    /// Give the same owner to all locks of one thread, and different owners to different threads.
    /// The lock's nodes then carry it behind their data. A hold and a wait of one owner belong to
    /// one thread, whatever their sessions. If task `a` waits for the end of subtasks, name these
    /// `a/b`.
    ///
    /// 1 to 200 printable ASCII characters without a space; otherwise
    /// `server_error::bad_arguments`. See docs/on-call/deadlocks.md.
    std::optional<std::string> owner = {};

    /// Whether all members are equal.
    friend bool operator==(const LockOptions&, const LockOptions&) = default;
};

} // namespace docent
