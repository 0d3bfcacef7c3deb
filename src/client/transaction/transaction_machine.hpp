// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"
#include "client/core/connected_operation.hpp"
#include "client/transaction/marker_pool.hpp"

#include <docent/error.hpp>

#include <chrono>
#include <cstdint>
#include <variant>

namespace docent::detail {

/// Create the marker; with `with_parents`, its parents first. `another`: the earlier marker is unusable.
struct MakeMarker {
    bool with_parents = false;
    bool another = false;
    friend bool operator==(const MakeMarker&, const MakeMarker&) = default;
};
struct SendTransaction {
    friend bool operator==(const SendTransaction&, const SendTransaction&) = default;
};
/// Write to the marker, to find out whether a transaction with a lost reply was applied. After this, it can no longer be
/// applied.
struct AskMarker {
    friend bool operator==(const AskMarker&, const AskMarker&) = default;
};
/// Pause, then wait for a connection.
struct PauseTransaction {
    std::chrono::milliseconds length{0};
    friend bool operator==(const PauseTransaction&, const PauseTransaction&) = default;
};
enum class Outcome {
    applied,     // by the reply
    recovered,   // applied, by the marker
    not_applied, // rejected, or never arrived
    unknown,
};
struct FinishTransaction {
    Outcome outcome;
    error_code ec = {};
    friend bool operator==(const FinishTransaction&, const FinishTransaction&) = default;
};
using TransactionAction = std::variant<MakeMarker, SendTransaction, AskMarker, PauseTransaction, FinishTransaction>;

/// One transaction, up to its end. The machine sends it again only if it was certainly not applied, and never will be. Pure.
class TransactionMachine {
public:
    enum class Marker { none, missing, made };

    TransactionMachine(Marker marker, RetryBudget budget) : marker_(marker), budget_(budget) {}

    TransactionAction start(std::uint64_t epoch);
    TransactionAction on_marker_made(error_code ec, steady_clock::time_point now, std::uint64_t random);
    /// `marker_gone`: the transaction was rejected because the marker is gone.
    TransactionAction on_answer(error_code ec, bool marker_gone, steady_clock::time_point now, std::uint64_t random);
    TransactionAction on_marker_asked(WriteMarker::Answer answer, steady_clock::time_point now, std::uint64_t random);
    /// Connected again after a pause.
    TransactionAction on_connected(std::uint64_t epoch);

    /// Whether the transaction may have been applied, or may still be.
    bool in_doubt() const { return in_doubt_; }

private:
    enum class Next { make, send, ask };
    TransactionAction send();
    TransactionAction make_again(MakeMarker how, error_code ec);
    TransactionAction again(Next next, error_code ec, steady_clock::time_point now, std::uint64_t random);

    Marker marker_;
    RetryBudget budget_;
    std::uint64_t epoch_ = 0;
    Next next_ = Next::send;
    bool in_doubt_ = false;
    int repeats_ = 0; // of creating a marker
    error_code last_error_;
};

} // namespace docent::detail
