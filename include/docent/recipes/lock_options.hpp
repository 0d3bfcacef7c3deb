// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
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
    /// Who else stands in the queue of a mutex or a read/write lock; the same for all of docent's at its path. Semaphores
    /// refuse it. A token must not be empty nor contain a slash.
    OtherContenders others = {};

    /// For how long a lease is held at most, from its grant on, unless Lease::extend() says more; a hundred years or more are
    /// for ever. At the end it is `LeaseState::expired`. Each lease has its own time: each permit of a semaphore, each lock of
    /// a multi-lock, and what a thread has locked, from its first lock() on; what was downgraded keeps that of the write lock.
    /// Who waits for a lock sees no difference. Not longer than 0: `server_error::bad_arguments`.
    std::optional<std::chrono::milliseconds> max_hold = {};
};

} // namespace docent
