// SPDX-License-Identifier: Apache-2.0
#include "client/transaction/transaction_machine.hpp"

#include "base/doubt.hpp"

#include <utility>

namespace docent::detail {

TransactionAction TransactionMachine::start(std::uint64_t epoch) {
    epoch_ = epoch;
    budget_.leaves_session(epoch); // the first try
    return SendTransaction{};
}

TransactionAction TransactionMachine::on_answer(error_code ec, bool marker_parent_missing, steady_clock::time_point now,
                                                std::uint64_t random) {
    if (!ec) return FinishTransaction{Outcome::applied};
    if (marker_parent_missing && !std::exchange(parent_made_, true)) return SendTransaction{true};
    if (ec == condition::outcome_unknown) {
        if (!has_marker_ || ec == server_error::auth_failed) return FinishTransaction{Outcome::unknown, ec};
        in_doubt_ = true;
        return again(Next::find, ec, now, random);
    }
    if (ec == condition::retryable) return again(Next::send, ec, now, random); // not executed
    return FinishTransaction{Outcome::not_applied, ec};
}

TransactionAction TransactionMachine::on_marker(error_code ec, steady_clock::time_point now, std::uint64_t random) {
    if (!ec) return FinishTransaction{Outcome::recovered};
    if (ec == server_error::no_node) {
        in_doubt_ = false; // the sync has passed: nothing is on its way any more
        return SendTransaction{};
    }
    if (is_lost(ec)) return again(Next::find, ec, now, random);
    return FinishTransaction{Outcome::unknown, last_error_};
}

TransactionAction TransactionMachine::on_connected(std::uint64_t epoch) {
    // The marker went with its session, and took the answer with it.
    if (in_doubt_ && epoch != epoch_) return FinishTransaction{Outcome::unknown, server_error::session_expired};
    if (budget_.leaves_session(epoch)) return FinishTransaction{Outcome::not_applied, server_error::session_expired};
    epoch_ = epoch;
    if (next_ == Next::find) return FindMarker{};
    return SendTransaction{};
}

TransactionAction TransactionMachine::again(Next next, error_code ec, steady_clock::time_point now, std::uint64_t random) {
    next_ = next;
    last_error_ = ec;
    // The request for it may be lost too.
    parent_made_ = false;
    if (ec == error::not_connected) return PauseTransaction{}; // the wait for a connection has its own limit
    const auto pause = budget_.next(ec, now, random);
    if (pause) return PauseTransaction{*pause};
    return FinishTransaction{in_doubt_ ? Outcome::unknown : Outcome::not_applied, ec};
}

} // namespace docent::detail
