// SPDX-License-Identifier: Apache-2.0
#include "client/transaction/transaction_machine.hpp"

#include "base/time_over.hpp"

#include <utility>

namespace docent::detail {
namespace {

// The limit of repeated creates of a marker. A server may remove its empty parent container, or a client the marker.
constexpr int most_markers = 10;

} // namespace

TransactionAction TransactionMachine::start(std::uint64_t epoch) {
    epoch_ = epoch;
    budget_.leaves_session(epoch); // the first try
    return marker_ == Marker::missing ? TransactionAction{MakeMarker{}} : send();
}

TransactionAction TransactionMachine::send() {
    in_doubt_ = true; // until the transaction is answered
    return SendTransaction{};
}

TransactionAction TransactionMachine::on_marker_made(error_code ec, steady_clock::time_point now, std::uint64_t random) {
    if (!ec || ec == server_error::node_exists) { // node_exists: an earlier request, whose reply was lost, has made it
        marker_ = Marker::made;
        return send();
    }
    if (ec == server_error::no_node) return make_again({.with_parents = true}, ec);
    if (is_lost(ec)) return again(Next::make, ec, now, random);
    return FinishTransaction{Outcome::not_applied, ec};
}

TransactionAction TransactionMachine::on_answer(error_code ec, bool marker_gone, steady_clock::time_point now,
                                                std::uint64_t random) {
    in_doubt_ = ec == condition::outcome_unknown;
    if (!ec) return FinishTransaction{Outcome::applied};
    if (marker_gone) return make_again({.another = true}, ec);
    if (in_doubt_) {
        if (marker_ == Marker::none || ec == server_error::auth_failed) return FinishTransaction{Outcome::unknown, ec};
        return again(Next::ask, ec, now, random);
    }
    if (ec == condition::retryable) return again(Next::send, ec, now, random); // not applied
    return FinishTransaction{Outcome::not_applied, ec};
}

TransactionAction TransactionMachine::on_marker_asked(WriteMarker::Answer answer, steady_clock::time_point now,
                                                      std::uint64_t random) {
    if (is_lost(answer.ec)) return again(Next::ask, answer.ec, now, random);
    if (answer.ec || answer.finding == WriteMarker::Finding::nothing)
        return FinishTransaction{Outcome::unknown, with_doubt(last_error_, true)};
    in_doubt_ = false;
    if (answer.finding == WriteMarker::Finding::applied) return FinishTransaction{Outcome::recovered};
    return send(); // the transaction was certainly not applied
}

TransactionAction TransactionMachine::on_connected(std::uint64_t epoch) {
    const bool is_new = std::exchange(epoch_, epoch) != epoch;
    // The marker has ended with its session, so the outcome stays unknown.
    if (is_new && in_doubt_) return FinishTransaction{Outcome::unknown, server_error::session_expired};
    if (budget_.leaves_session(epoch)) return FinishTransaction{Outcome::not_applied, server_error::session_expired};
    if (is_new && marker_ != Marker::none) return MakeMarker{.another = true};
    switch (next_) {
    case Next::make: return MakeMarker{};
    case Next::send: return send();
    case Next::ask: return AskMarker{};
    }
    return {};
}

TransactionAction TransactionMachine::make_again(MakeMarker how, error_code ec) {
    if (++repeats_ > most_markers) return FinishTransaction{Outcome::not_applied, ec};
    return how;
}

TransactionAction TransactionMachine::again(Next next, error_code ec, steady_clock::time_point now, std::uint64_t random) {
    next_ = next;
    last_error_ = ec;
    if (ec == error::not_connected) return PauseTransaction{}; // the wait for a connection has another limit
    const auto pause = budget_.next(ec, now, random);
    if (pause) return PauseTransaction{*pause};
    return FinishTransaction{in_doubt_ ? Outcome::unknown : Outcome::not_applied, with_doubt(ec, in_doubt_)};
}

} // namespace docent::detail
