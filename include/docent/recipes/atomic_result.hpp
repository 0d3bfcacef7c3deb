// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/retry_policy.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace docent {

/// How a change was reached, or not.
struct AtomicStats {
    int optimistic_tries = 0; ///< Writes that were sent, each for the value that was read before it.
    std::chrono::milliseconds optimistic_time{0};
    int promoted_tries = 0; ///< The same under the mutex.
    std::chrono::milliseconds promoted_time{0};
    bool recovered = false; ///< The reply was lost, and the servers were asked what had become of the write.
    friend bool operator==(const AtomicStats&, const AtomicStats&) = default;
};

/// What came of a change of a DistributedAtomicValue or -Long.
template <typename T> struct AtomicResult {
    bool succeeded = false; ///< Always look at it: nothing has changed otherwise, or what was there was not what was expected.
    T before = {};          ///< What was there.
    T after = {};           ///< What is there by this change; without success, what was there.
    AtomicStats stats = {};
    friend bool operator==(const AtomicResult&, const AtomicResult&) = default;
};

/// Bytes; nothing, if there is no node.
using AtomicBytes = AtomicResult<std::optional<std::string>>;
/// A number; 0, if there is no node.
using AtomicNumber = AtomicResult<std::int64_t>;

/// A mutex under which to try once all others were faster.
struct PromotedToLock {
    std::string path;                                       ///< Of an InterProcessMutex, Curator's or docent's.
    RetryPolicy retry = RetryPolicy::none();                ///< Tries under it: there may be others who do not take it.
    std::optional<std::chrono::milliseconds> max_wait = {}; ///< For the mutex; without it, as long as it takes.
};

/// What is said of a DistributedAtomicValue or -Long when its object is made.
struct AtomicOptions {
    /// When to try again after somebody else was faster. Each who was slower was so because of one who was faster.
    RetryPolicy retry = RetryPolicy::exponential_backoff(std::chrono::milliseconds{1}, 29, std::chrono::milliseconds{32});
    std::optional<PromotedToLock> promoted = {};
    /// Where the object's marker goes: what tells after a lost reply whether a write was applied. Made as
    /// `ClientConfig::own_parents`; must be writable.
    std::string marker_parent = "/docent/atomics";
};

} // namespace docent
