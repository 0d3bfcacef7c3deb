// SPDX-License-Identifier: Apache-2.0
#include "local/local_machine.hpp"

namespace docent::detail {

LocalDecision LocalMachine::on_wait(Ticket ticket, bool tries, std::uint64_t inside) {
    waiting_.push_back({ticket, tries});
    return decide(inside);
}

LocalDecision LocalMachine::on_gone(Ticket ticket, std::uint64_t inside) {
    std::erase_if(waiting_, [&](const Waiter& waiter) { return waiter.ticket == ticket; });
    return decide(inside);
}

void LocalMachine::begin_node() {
    node_ = Node::ours;
    others_ = Others::unknown;
    fresh_ = true;
    idle_ = false;
    handovers_ = 0;
}

LocalDecision LocalMachine::on_granted() {
    begin_node();
    return decide(0);
}

LocalDecision LocalMachine::on_failed() {
    node_ = Node::none;
    LocalDecision decision;
    decision.failed = take_waiting([](const Waiter&) { return true; });
    return decision;
}

bool LocalMachine::on_alone_granted() {
    if (node_ != Node::none) return false;
    begin_node();
    fresh_ = false;
    return true;
}

LocalDecision LocalMachine::on_seen(bool somebody, std::uint64_t inside) {
    if (others_ != Others::somebody) others_ = somebody ? Others::somebody : Others::nobody;
    return decide(inside);
}

LocalDecision LocalMachine::on_unseen(std::uint64_t inside) {
    if (others_ == Others::nobody) others_ = Others::unknown;
    return decide(inside);
}

LocalDecision LocalMachine::on_idle(std::uint64_t inside) {
    idle_ = inside == 0;
    auto decision = decide(inside);
    idle_ = false;
    return decision;
}

LocalDecision LocalMachine::on_retire() {
    LocalDecision decision;
    retire(decision);
    if (node_ == Node::none) decide_without_node(decision); // otherwise an attempt is under way, after a loss
    return decision;
}

LocalDecision LocalMachine::on_lost() {
    node_ = Node::none;
    return decide(0);
}

LocalDecision LocalMachine::decide(std::uint64_t inside) {
    LocalDecision decision;
    if (node_ == Node::ours) {
        rules_.shared ? decide_together(decision, inside) : decide_in_turn(decision, inside);
        fresh_ = false;
    }
    if (node_ == Node::none) decide_without_node(decision);
    if (node_ == Node::awaited) decide_awaiting(decision);
    decision.open = node_ == Node::ours && rules_.keeps && others_ == Others::nobody && waiting_.empty();
    return decision;
}

void LocalMachine::decide_together(LocalDecision& decision, std::uint64_t inside) {
    if (fresh_ || others_ == Others::nobody) decision.granted = take_waiting([](const Waiter&) { return true; });
    const bool empty = inside == 0 && decision.granted.empty() && waiting_.empty();
    if (others_ == Others::somebody || (empty && !is_wanted())) retire(decision);
}

void LocalMachine::decide_in_turn(LocalDecision& decision, std::uint64_t inside) {
    if (inside > 0) return decide_occupied(decision);
    if (waiting_.empty()) {
        if (!is_wanted()) retire(decision);
        return;
    }
    if (fresh_ || others_ == Others::nobody || handovers_ < rules_.max_handovers) {
        if (!fresh_) ++handovers_;
        grant_first(decision);
        decide_occupied(decision);
    } else if (others_ == Others::somebody) {
        retire(decision);
    } // otherwise a list of the queue is under way
}

void LocalMachine::decide_occupied(LocalDecision& decision) {
    decision.refused = take_waiting([](const Waiter& waiter) { return waiter.tries; });
    if (!rules_.joins() && !waiting_.empty()) retire(decision); // the waiters wait with nodes of their own
}

void LocalMachine::decide_without_node(LocalDecision& decision) {
    const bool joins = rules_.joins();
    decision.alone = take_waiting([joins](const Waiter& waiter) { return waiter.tries || !joins; });
    if (waiting_.empty()) return;
    decision.enter = true;
    node_ = Node::awaited;
}

void LocalMachine::decide_awaiting(LocalDecision& decision) {
    auto trying = take_waiting([](const Waiter& waiter) { return waiter.tries; });
    auto& answer = rules_.shared ? decision.alone : decision.refused; // an exclusive try fails, as there are waiters ahead
    answer.insert(answer.end(), trying.begin(), trying.end());
    if (!waiting_.empty()) return;
    decision.cancel = true;
    node_ = Node::none;
}

void LocalMachine::retire(LocalDecision& decision) {
    decision.retire = node_ == Node::ours;
    if (decision.retire) node_ = Node::none;
}

void LocalMachine::grant_first(LocalDecision& decision) {
    decision.granted.push_back(waiting_.front().ticket);
    waiting_.pop_front();
}

template <typename Condition> std::vector<LocalMachine::Ticket> LocalMachine::take_waiting(Condition condition) {
    std::vector<Ticket> taken;
    std::erase_if(waiting_, [&](const Waiter& waiter) {
        if (!condition(waiter)) return false;
        taken.push_back(waiter.ticket);
        return true;
    });
    return taken;
}

} // namespace docent::detail
