// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which holds of one process share a node of a queue, and for how long: events in, one decision out. Does no I/O, reads no
// clock and knows no threads.
//
// The process has one node at a time that its holds come into. It keeps that for as long as it knows that nobody else stands in
// the queue; while it has not been told, or has been told that somebody does, at most so many holds follow the first one as its
// rules say. Then the node is retired: nobody comes in any more, and it is given back when the last hold has left.

#include <cstdint>
#include <deque>
#include <vector>

namespace docent::detail {

struct LocalRules {
    bool shared = false;             // holds do not exclude each other: the node is a reader's
    bool keeps = false;              // the node stays when the last hold has left
    std::uint32_t max_handovers = 0; // to those who wait in this process, in a row, while others may wait, too

    /// Whether those who wait in this process do so by one node. Else each waits by its own: strictly in the order of arrival.
    bool joins() const { return shared || max_handovers > 0; }
};

/// What is to be done, in this order.
struct LocalDecision {
    std::vector<std::uint64_t> granted = {}; // these come into the node
    bool retire = false;                     // the node is none of ours any more
    bool enter = false;                      // get a node
    bool cancel = false;                     // no more
    std::vector<std::uint64_t> alone = {};   // these get nodes of their own
    std::vector<std::uint64_t> refused = {}; // these wanted it at once, or not at all
    std::vector<std::uint64_t> failed = {};  // no node can be had
    bool open = false;                       // from now on whoever comes may come into the node without asking
};

class LocalMachine {
public:
    using Ticket = std::uint64_t; // of one who waits

    explicit LocalMachine(LocalRules rules) : rules_(rules) {}

    // `inside`: how many holds are in the node now.

    /// Somebody did not find the node open. `tries`: does not wait for others.
    LocalDecision on_wait(Ticket ticket, bool tries, std::uint64_t inside);
    /// Does not wait any more.
    LocalDecision on_gone(Ticket ticket, std::uint64_t inside);
    /// A hold has left a node that was closed.
    LocalDecision on_left(std::uint64_t inside) { return decide(inside); }

    /// What `enter` asked for: the node is ours, and empty.
    LocalDecision on_granted();
    LocalDecision on_failed();
    /// One of those who are `alone` holds its own node. Whether it is the one that others come into from now on.
    bool on_alone_granted();

    /// The queue has been listed: is anybody in it whom a hold keeps waiting, now or soon?
    LocalDecision on_seen(bool somebody, std::uint64_t inside);
    /// The queue may have changed since.
    LocalDecision on_unseen(std::uint64_t inside);
    /// Nobody has come into the node for as long as it is kept.
    LocalDecision on_idle(std::uint64_t inside);
    /// It goes with the holds that are in it.
    LocalDecision on_retire();
    /// It is not ours any more.
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
    bool fresh_ = false; // nobody has been let in yet
    bool idle_ = false;
    std::uint32_t handovers_ = 0;
    std::deque<Waiter> waiting_; // in the order of arrival
};

} // namespace docent::detail
