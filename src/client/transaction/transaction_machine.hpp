// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"
#include "client/core/retry_budget.hpp"

#include <docent/error.hpp>

#include <chrono>
#include <cstdint>
#include <variant>

namespace docent::detail {

/// Send the transaction; after making the marker's parent, if asked for.
struct SendTransaction {
    bool make_marker_parent = false;
    friend bool operator==(const SendTransaction&, const SendTransaction&) = default;
};
/// Sync, and look whether the marker exists.
struct FindMarker {
    friend bool operator==(const FindMarker&, const FindMarker&) = default;
};
/// Pause, then wait for a connection.
struct PauseTransaction {
    std::chrono::milliseconds length{0};
    friend bool operator==(const PauseTransaction&, const PauseTransaction&) = default;
};
enum class Outcome {
    applied,     // the reply says so
    recovered,   // the marker says so
    not_applied, // rejected, or never arrived
    unknown,
};
struct FinishTransaction {
    Outcome outcome;
    error_code ec = {};
    friend bool operator==(const FinishTransaction&, const FinishTransaction&) = default;
};
using TransactionAction = std::variant<SendTransaction, FindMarker, PauseTransaction, FinishTransaction>;

/// How one transaction is brought to an end. It is never sent again unless it is certain that it was not applied. Pure.
class TransactionMachine {
public:
    TransactionMachine(bool has_marker, RetryBudget budget) : has_marker_(has_marker), budget_(budget) {}

    TransactionAction start(std::uint64_t epoch);
    /// `marker_parent_missing`: the transaction was rejected for that.
    TransactionAction on_answer(error_code ec, bool marker_parent_missing, steady_clock::time_point now, std::uint64_t random);
    TransactionAction on_marker(error_code ec, steady_clock::time_point now, std::uint64_t random);
    /// Connected again after a pause.
    TransactionAction on_connected(std::uint64_t epoch);

private:
    enum class Next { send, find };
    TransactionAction again(Next next, error_code ec, steady_clock::time_point now, std::uint64_t random);

    bool has_marker_;
    RetryBudget budget_;
    std::uint64_t epoch_ = 0;
    Next next_ = Next::send;
    bool in_doubt_ = false;
    bool parent_made_ = false;
    error_code last_error_;
};

} // namespace docent::detail
