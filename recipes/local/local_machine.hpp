// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides which holds of one process share a node of a queue, and for how long: events in, one decision out. Pure.
//
// The process has one node at a time that its holds enter. While no other client is in the queue, any number of holds may
// follow each other. If another client is in the queue, or if that is not known, at most `max_handovers` holds follow the first
// one. Then the node is retired: no hold enters any more, and the node is removed when the last hold has left.

#include <cstdint>
#include <deque>
#include <vector>

namespace docent::detail {

struct LocalRules {
    bool shared = false;             // holds do not exclude each other: a read lock
    bool keeps = false;              // the node stays when the last hold has left
    std::uint32_t max_handovers = 0; // within this process, in a row, while other clients may wait

    /// Whether the waiters of this process share one node. Otherwise each has its own, in the order of arrival.
    bool joins() const { return shared || max_handovers > 0; }
};

/// The actions. LocalQueue::apply() carries them out: `enter` before `retire`, the others in this order.
struct LocalDecision {
    std::vector<std::uint64_t> granted = {}; // these waiters enter the node
    bool retire = false;                     // retire the node
    bool enter = false;                      // begin an attempt to acquire a node
    bool cancel = false;                     // cancel that attempt
    std::vector<std::uint64_t> alone = {};   // each of these waiters acquires a separate node
    std::vector<std::uint64_t> refused = {}; // these calls of try_acquire() fail
    std::vector<std::uint64_t> failed = {};  // these waiters fail, because the attempt has failed
    bool open = false;                       // from now on, holds may enter the node without asking the machine
};

class LocalMachine {
public:
    using Ticket = std::uint64_t; // identifies a waiter

    explicit LocalMachine(LocalRules rules) : rules_(rules) {}

    // `inside`: the present number of holds in the node.

    /// A caller has not found the node open. `tries`: it does not wait for others.
    LocalDecision on_wait(Ticket ticket, bool tries, std::uint64_t inside);
    /// The waiter has given up.
    LocalDecision on_gone(Ticket ticket, std::uint64_t inside);
    /// A hold has left a node that was closed.
    LocalDecision on_left(std::uint64_t inside) { return decide(inside); }

    /// The attempt of `enter` has succeeded: the process has an empty node.
    LocalDecision on_granted();
    LocalDecision on_failed();
    /// A waiter of `alone` has got its own node. Returns whether other holds may enter this node from now on.
    bool on_alone_granted();

    /// The queue has been listed. `somebody`: another client waits for this node, now or soon.
    LocalDecision on_seen(bool somebody, std::uint64_t inside);
    /// The queue may have changed since it was listed.
    LocalDecision on_unseen(std::uint64_t inside);
    /// No hold was in the node at two looks, which are half of `keep_for` apart, and none entered in between.
    LocalDecision on_idle(std::uint64_t inside);
    /// Retire the node: it is removed when its present holds have left.
    LocalDecision on_retire();
    /// The node is lost.
    LocalDecision on_lost();

    bool has_node() const { return node_ == Node::ours; }
    std::size_t waiting() const { return waiting_.size(); }

private:
    enum class Node { none, awaited, ours };
    enum class Others { unknown, nobody, somebody };
    struct Waiter {
        Ticket ticket;
        bool tries;
    };

    void begin_node();
    LocalDecision decide(std::uint64_t inside);
    void decide_together(LocalDecision& decision, std::uint64_t inside);
    void decide_in_turn(LocalDecision& decision, std::uint64_t inside);
    void decide_occupied(LocalDecision& decision);
    void decide_without_node(LocalDecision& decision);
    void decide_awaiting(LocalDecision& decision);
    bool is_wanted() const { return rules_.keeps && others_ != Others::somebody && !idle_; }
    void retire(LocalDecision& decision);
    void grant_first(LocalDecision& decision);
    template <typename Condition> std::vector<Ticket> take_waiting(Condition condition);

    const LocalRules rules_;
    Node node_ = Node::none;
    Others others_ = Others::unknown;
    bool fresh_ = false; // no hold has entered yet
    bool idle_ = false;
    std::uint32_t handovers_ = 0;
    std::deque<Waiter> waiting_; // in the order of arrival
};

} // namespace docent::detail
