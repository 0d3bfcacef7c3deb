// SPDX-License-Identifier: Apache-2.0
#pragma once

// One change of an atomic value: its tries, until the result is known or no further try is allowed. Pure.

#include "client/core/connected_operation.hpp"
#include "client/transaction/marker_pool.hpp"

#include <docent/error.hpp>
#include <docent/recipes/distributed_atomic_value.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace docent::detail {

/// The node as it was read; without data, there is no node.
struct SeenValue {
    std::optional<std::string> data = {};
    std::int32_t version = -1;
    friend bool operator==(const SeenValue&, const SeenValue&) = default;
};

/// The new data that a call wants, for the data that it has seen. Nothing if it does not want to write; `ec` may say why.
struct NewData {
    std::optional<std::string> data = {};
    error_code ec = {};
};
using Change = std::function<NewData(const std::optional<std::string>& before)>;

/// Read the node, with a watch.
struct ReadValue {
    friend bool operator==(const ReadValue&, const ReadValue&) = default;
};
/// Write, together with the marker, and read after that.
struct WriteValue {
    std::string data;
    std::int32_t version = -1; // the expected version; -1: any
    bool create = false;
    bool with_parents = false;
    friend bool operator==(const WriteValue&, const WriteValue&) = default;
};
/// Write to the marker, to find out whether a write with a lost reply was applied. After this, it can no longer be applied.
struct FindOut {
    friend bool operator==(const FindOut&, const FindOut&) = default;
};
/// Pause, then wait for a connection.
struct PauseAtomic {
    std::chrono::milliseconds length{0};
    friend bool operator==(const PauseAtomic&, const PauseAtomic&) = default;
};
struct TakeMutex {
    friend bool operator==(const TakeMutex&, const TakeMutex&) = default;
};
struct FinishAtomic {
    error_code ec = {};
    AtomicBytes result = {};
    friend bool operator==(const FinishAtomic&, const FinishAtomic&) = default;
};
using AtomicAction = std::variant<ReadValue, WriteValue, FindOut, PauseAtomic, TakeMutex, FinishAtomic>;

/// The result of a write.
struct WriteAnswer {
    enum class Kind {
        applied,
        refused,   // because of the node's state; see `ec`
        no_marker, // nothing was applied, because the marker is gone
        failed,    // for another reason; see `ec`
        lost,      // the reply was lost, or the write was not sent; see `ec`
        unsent,    // no marker could be made; see `ec`
    } kind;
    error_code ec = {};
    std::optional<SeenValue> behind = {}; // the node, read after the write
};

class AtomicMachine {
public:
    struct Plan {
        Change change;
        bool blind = false;                       // write over any value
        std::optional<SeenValue> guess = {};      // the assumed state for the first try
        RetryPolicy retry = RetryPolicy::none();  // when another write came first
        std::optional<RetryPolicy> promoted = {}; // the same under the mutex; empty: without a mutex
    };

    AtomicMachine(Plan plan, RetryBudget budget) : plan_(std::move(plan)), budget_(budget) {}

    /// `known`: the last known state of the node.
    AtomicAction start(std::uint64_t epoch, const std::optional<SeenValue>& known, steady_clock::time_point now);
    AtomicAction on_read(error_code ec, SeenValue seen, steady_clock::time_point now, std::uint64_t random);
    AtomicAction on_written(WriteAnswer answer, steady_clock::time_point now, std::uint64_t random);
    using Finding = WriteMarker::Finding;
    AtomicAction on_found_out(error_code ec, Finding finding, steady_clock::time_point now, std::uint64_t random);
    AtomicAction on_connected(std::uint64_t epoch, const std::optional<SeenValue>& known, steady_clock::time_point now);
    /// `ec`: `error::not_acquired` if the time for the mutex is over.
    AtomicAction on_mutex(error_code ec, std::uint64_t epoch, const std::optional<SeenValue>& known,
                          steady_clock::time_point now);

    /// The result without a change, when no write is under way.
    AtomicBytes unchanged(steady_clock::time_point now);
    /// Whether a write may have been applied, because its reply is missing.
    bool in_doubt() const { return in_doubt_; }
    int tries() const { return stats_.optimistic_tries + stats_.promoted_tries; }

private:
    enum class Next { change, find_out };

    AtomicAction begin(const std::optional<SeenValue>& known, steady_clock::time_point now);
    AtomicAction write(steady_clock::time_point now);
    AtomicAction send(bool with_parents = false);
    AtomicAction send_again(bool with_parents, error_code ec, steady_clock::time_point now);
    AtomicAction on_faster(std::optional<SeenValue> behind, error_code ec, steady_clock::time_point now, std::uint64_t random);
    AtomicAction again(Next next, error_code ec, steady_clock::time_point now, std::uint64_t random);
    AtomicAction succeed(steady_clock::time_point now);
    AtomicAction fail(error_code ec, steady_clock::time_point now);
    AtomicStats stats(steady_clock::time_point now);

    Plan plan_;
    RetryBudget budget_; // for failures of the network
    Next next_ = Next::change;
    SeenValue seen_;
    bool fresh_ = false; // this call has read the value
    std::string written_;
    bool in_doubt_ = false;
    bool promoted_ = false; // to the mutex
    int pauses_ = 0;        // pauses of the present policy
    int repeats_ = 0;       // repeats because a parent or the marker was missing
    error_code last_error_;
    AtomicStats stats_;
    steady_clock::time_point began_;       // of the optimistic phase, or of the wait for the mutex
    steady_clock::time_point tries_began_; // of the present policy's tries
};

} // namespace docent::detail
