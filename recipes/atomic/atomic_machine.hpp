// SPDX-License-Identifier: Apache-2.0
#pragma once

// How one change of a value is brought to an end that is certain. Pure.

#include "client/core/retry_budget.hpp"
#include "client/transaction/write_marker.hpp"

#include <docent/error.hpp>
#include <docent/recipes/distributed_atomic_value.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace docent::detail {

/// The node as it was seen; there is none without data.
struct SeenValue {
    std::optional<std::string> data = {};
    std::int32_t version = -1;
    friend bool operator==(const SeenValue&, const SeenValue&) = default;
};

/// What somebody wants who has seen what is there: to write this; or nothing, for which there may be a reason.
struct NewData {
    std::optional<std::string> data = {};
    error_code ec = {};
};
using Change = std::function<NewData(const std::optional<std::string>& before)>;

/// Read the node, with a watch.
struct ReadValue {
    friend bool operator==(const ReadValue&, const ReadValue&) = default;
};
/// Write, together with the marker, and read behind that.
struct WriteValue {
    std::string data;
    std::int32_t version = -1; // of what is there; -1: any
    bool create = false;
    bool with_parents = false;
    friend bool operator==(const WriteValue&, const WriteValue&) = default;
};
/// Write to the marker: has the write whose reply was lost been applied? It will not be after that.
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

/// What became of a write.
struct WriteAnswer {
    enum class Kind {
        applied,
        refused,   // for the node as it is; see `ec`
        no_marker, // nothing was applied; there will be another one
        failed,    // for another reason; see `ec`
        lost,      // or not sent; see `ec`
        unsent,    // there could be no marker; see `ec`
    } kind;
    error_code ec = {};
    std::optional<SeenValue> behind = {}; // the node, as it was read behind the write
};

class AtomicMachine {
public:
    struct Plan {
        Change change;
        bool blind = false;                      // whatever is there
        std::optional<SeenValue> guess = {};     // to begin with
        RetryPolicy retry = RetryPolicy::none(); // when somebody else was faster
        std::optional<RetryPolicy> promoted = {};
    };

    AtomicMachine(Plan plan, RetryBudget budget) : plan_(std::move(plan)), budget_(budget) {}

    /// `known`: what is there, as far as is known.
    AtomicAction start(std::uint64_t epoch, const std::optional<SeenValue>& known, steady_clock::time_point now);
    AtomicAction on_read(error_code ec, SeenValue seen, steady_clock::time_point now, std::uint64_t random);
    AtomicAction on_written(WriteAnswer answer, steady_clock::time_point now, std::uint64_t random);
    using Finding = WriteMarker::Finding;
    AtomicAction on_found_out(error_code ec, Finding finding, steady_clock::time_point now, std::uint64_t random);
    AtomicAction on_connected(std::uint64_t epoch, const std::optional<SeenValue>& known, steady_clock::time_point now);
    /// Errors: `error::not_acquired`, if the time for that was over.
    AtomicAction on_mutex(error_code ec, std::uint64_t epoch, const std::optional<SeenValue>& known,
                          steady_clock::time_point now);

    /// Nothing has changed, and nothing is on its way.
    AtomicBytes unchanged(steady_clock::time_point now);
    /// A write may have been applied without our knowing.
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
    RetryBudget budget_; // for what the network does
    Next next_ = Next::change;
    SeenValue seen_;
    bool fresh_ = false; // it was read by this call
    std::string written_;
    bool in_doubt_ = false;
    bool promoted_ = false; // to the mutex
    int pauses_ = 0;        // of the present policy
    int repeats_ = 0;       // of a write that met no node above it, or no marker
    error_code last_error_;
    AtomicStats stats_;
    steady_clock::time_point began_;       // optimistically, or with the wait for the mutex
    steady_clock::time_point tries_began_; // those of the present policy
};

} // namespace docent::detail
