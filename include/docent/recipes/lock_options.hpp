// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace docent {

/// Other libraries' nodes that take their turns in a lock's queue. A token is what stands in front of the number that the
/// server has appended to the name, whatever stands in front of the token.
struct OtherContenders {
    std::vector<std::string> exclusive = {}; ///< Nobody may hold together with these.
    std::vector<std::string> shared = {};    ///< Readers may hold together with these; a mutex and writers may not.
    friend bool operator==(const OtherContenders&, const OtherContenders&) = default;
};

/// Of kazoo's Lock, WriteLock and ReadLock (Python), which must be given docent's tokens as `extra_lock_patterns`. What that
/// takes: docs/recipes/kazoo.md.
inline OtherContenders kazoo_contenders() {
    return {.exclusive = {"__lock__"}, .shared = {"__rlock__"}};
}

/// What is said of a lock when its object is made.
struct LockOptions {
    /// Data of its nodes, for people and tools to read (`docent inspect`); without it `ClientConfig::default_data`. Compressed
    /// as `ClientConfig::compression` says.
    std::optional<std::string> node_data = {};
    /// What the lock is called in traces and metrics: best from a small, fixed set, for each makes a series of its own. Nobody
    /// but this client's Tracer sees it.
    std::string label = {};
    /// Who else stands in the queue of a mutex or a read/write lock; the same for all of docent's at its path. Semaphores
    /// refuse it. A token must not be empty nor contain a slash.
    OtherContenders others = {};

    /// For how long a lease is held at most, from its grant on, unless Lease::extend() says more; a hundred years or more are
    /// for ever. At the end it is `LeaseState::expired`. Each lease has its own time: each permit of a semaphore, each lock of
    /// a multi-lock, and what a thread has locked, from its first lock() on; what was downgraded keeps that of the write lock.
    /// Who waits for a lock sees no difference. Not longer than 0: `server_error::bad_arguments`.
    std::optional<std::chrono::milliseconds> max_hold = {};

    /// For how long the lock's node stays, at most, when nobody in this process holds it any more and nobody else wants it. As
    /// long as it does, the lock is taken and given back by the threads and tasks of this process without a request: by all
    /// objects of one client with the same path and options. Whoever else comes to the queue, in whatever language, recalls it:
    /// it is given back when those who hold it then have left. Readers keep theirs in as many processes as there are.
    /// 0: it goes with its holder. For a mutex and a read/write lock; the others refuse it. docs/recipes/kept_leases.md.
    std::chrono::milliseconds keep_for{0};

    /// How many times in a row the lock is handed on in this process while somebody else waits for it. With more than 0,
    /// threads and tasks of this process that wait for it do so by one node, in the order in which they came; with 0 each waits
    /// by a node of its own, and the order of arrival at the server is strict. Readers of one process that come while others of
    /// it wait join them either way, if one of these options is set.
    std::uint32_t max_local_handovers = 0;

    /// Which thread or task takes this lock: the same for all locks that one of them takes, other ones' never. Written behind
    /// the data of its nodes, for `docent deadlocks`: a hold and a wait of one owner are certainly those of one thread,
    /// whatever their sessions. One that ends only after others, a program that waits for those it has started, is `a` where
    /// these are `a/b`. 1 to 200 printable ASCII characters without a space; anything else: `server_error::bad_arguments`.
    /// Without it nothing is written. docs/on-call/deadlocks.md.
    std::optional<std::string> owner = {};
};

} // namespace docent
