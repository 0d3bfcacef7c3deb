// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/listeners.hpp"
#include "client/core/operation.hpp"
#include "lease/lease_core.hpp"
#include "lease/node_lease.hpp"
#include "local/hold_counter.hpp"
#include "local/local_machine.hpp"
#include "local/shared_by_threads.hpp"
#include "posix/process_mark.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/recipes/lease.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace docent::detail {

class LocalHold;

/// The place of a node that holds of one process enter. It is used for one node after the other. It lives as long as the queue,
/// so any thread that has found it may read `hold_counter` at any time. Only holds inside and the queue use the other members.
struct LocalNode {
    explicit LocalNode(HoldCounter::Rule rule) : hold_counter(rule) {}

    alignas(apart) HoldCounter hold_counter;         // written by each hold that enters or leaves
    alignas(apart) std::shared_ptr<NodeLease> lease; // while the place is used
    SharedByThreads<NodeLease> shares;               // the same with separate reference counts, for readers of a kept lock

    // Under the queue's mutex.
    bool used = false;
    bool asked_for = false;        // another client has asked for the lock
    WeakList<LocalHold> attentive; // holds that want events of the node

    // On the strand.
    std::optional<std::stop_callback<std::function<void()>>> on_lost;
};

/// The result of a wait.
struct LocalOutcome {
    error_code ec = {};
    Lease lease = {};
    bool alone = false; // the waiter must acquire a node of its own: see LocalQueue::adopt()
};

/// The holds of one lock by the threads and tasks of one client, in nodes that they share.
class LocalQueue final : public std::enable_shared_from_this<LocalQueue> {
public:
    using Ticket = LocalMachine::Ticket;

    LocalQueue(std::shared_ptr<ClientView> view, QueuePlace place, BootNow boot_now);
    ~LocalQueue();
    LocalQueue(const LocalQueue&) = delete;
    LocalQueue& operator=(const LocalQueue&) = delete;

    /// Whether a lock's options need a LocalQueue.
    static bool is_wanted(const LeaseTerms& terms) {
        return terms.keep_for > terms.keep_for.zero() || terms.max_local_handovers > 0;
    }

    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    const SharedPlace& place() const noexcept { return place_; }
    /// Whether the waiters of this process share one node.
    bool joins() const noexcept { return rules_.joins(); }
    /// Whether many holds are inside together, most of them without a decision of the machine.
    bool is_read_and_kept() const noexcept { return rules_.shared && rules_.keeps; }

    // ---- from any thread

    /// Enters the node without a decision of the machine; returns an empty lease if that is impossible. `self`: this queue,
    /// which the hold will own.
    Lease enter_at_once(const std::shared_ptr<LocalQueue>& self);
    /// Waits for a hold, if enter_at_once() was not possible. Calls `done` once, from any thread and also before this returns,
    /// unless give_up() comes first. `tries`: does not wait for others.
    Ticket wait(bool tries, std::function<void(LocalOutcome)> done);
    /// Cancels a wait. Returns false if `done` is being called, or was called.
    bool give_up(Ticket ticket);

    // For holds. A hold that has left must not use `node` any more.
    void leave(LocalNode& node, const HoldCounter::Entry& entry);
    /// Leaves, on the strand. Returns true if the caller must release the node now, before it leaves the strand. Returns false
    /// if the process keeps the node, or if another hold, which is inside or enters too late, releases the node later.
    bool leave_to_give_back(LocalNode& node, const HoldCounter::Entry& entry);
    /// Registers a hold for the loss of the node and for requests. Returns false if the node is lost already.
    bool attend(LocalNode& node, std::weak_ptr<LocalHold> hold);
    bool is_asked_for(const LocalNode& node);
    /// Retires the node: no further hold enters.
    void retire(LocalNode& node);

    // ---- on the strand

    /// Makes the lease of a waiter with `alone` that has got this node.
    Lease adopt(const std::shared_ptr<ClientView>& view, GrantedNode node);

private:
    using Done = std::function<void(LocalOutcome)>;
    /// Effects of a decision that are carried out after the mutex is released.
    struct Effects {
        std::vector<std::pair<Done, LocalOutcome>> calls = {};
        const LocalNode* left_to_caller = nullptr; // the caller releases this node
        bool given_back = false;                   // it must be released now
        void carry_out();
    };

    LocalNode* current() const noexcept { return current_; }
    Lease make_hold(const std::shared_ptr<LocalQueue>& self, LocalNode& node, const HoldCounter::Entry& entry) const;
    /// Decides while the node is closed, so that no hold enters meanwhile.
    using Event = std::function<LocalDecision(std::uint64_t inside)>;
    void decide(Effects& effects, const Event& event);
    void apply(LocalDecision decision, Effects& effects, error_code why = {});
    void answer(std::uint64_t ticket, LocalOutcome outcome, Effects& effects);
    LocalNode& begin_node(std::shared_ptr<NodeLease> lease);
    void leave_closed(LocalNode& node, Effects& effects);
    void retire_current(Effects& effects);
    void end_use(LocalNode& node, Effects& effects);

    // On the strand.
    void begin_attempt(std::uint64_t attempt);
    void cancel_attempt(std::uint64_t attempt);
    void on_attempt(std::uint64_t attempt, error_code ec, GrantedNode granted);
    void attend_to(LocalNode& node, const std::shared_ptr<NodeLease>& lease);
    void on_lost(LocalNode& node, const NodeLease& lease);
    void on_asked_for(LocalNode& node, const NodeLease& lease);
    void look();
    void on_listed(const zk::Reply& reply);
    void on_changed();
    void on_seen(bool somebody);
    void on_unseen();
    void stop_looking();
    void await_idleness();

    const std::shared_ptr<ClientView> view_;
    const SharedPlace place_;
    const std::optional<std::chrono::milliseconds> max_hold_;
    const std::chrono::milliseconds keep_for_;
    const BootNow boot_now_;
    const LocalRules rules_;
    std::atomic<LocalNode*> current_{nullptr};

    const posix::ProcessMark process_;
    std::mutex mutex_; // guards the members below, and all decisions
    LocalMachine machine_;
    std::deque<LocalNode> nodes_;
    std::map<Ticket, Done> waiting_;
    Ticket last_ticket_ = 0;
    std::uint64_t last_attempt_ = 0;
    std::uint64_t awaited_attempt_ = 0; // 0: none

    // On the strand.
    std::shared_ptr<AcquireDriver> attempt_;
    std::uint64_t attempt_number_ = 0;
    std::shared_ptr<NodeLease> looked_at_; // the lease whose queue is listed and watched
    zk::WatchSink watch_;
    bool is_alone_ = false;  // the node was the only child in the last list
    bool was_empty_ = false; // the node was empty at the last look
    std::uint64_t seen_entered_ = 0;
    Registration session_;
    Registration idle_timer_;
    Registration look_timer_;
};

/// A hold in a node that the process shares. It lasts until it is released, its time is up, or the node is lost.
class LocalHold final : public LeaseCore {
public:
    /// `entry`: the entry into the node.
    static std::shared_ptr<LocalHold> make(std::shared_ptr<LocalQueue> queue, LocalNode& node, const HoldCounter::Entry& entry,
                                           Hold::Time held_until);
    LocalHold(std::shared_ptr<LocalQueue> queue, LocalNode& node, const HoldCounter::Entry& entry, Hold::Time held_until);
    ~LocalHold() override;
    LocalHold(const LocalHold&) = delete;
    LocalHold& operator=(const LocalHold&) = delete;

    LeaseState state() noexcept override;
    std::chrono::nanoseconds margin() const noexcept override { return lease_->margin(); }
    const HeldNode& node() const noexcept override { return lease_->node(); }
    std::uint64_t hold_number() const noexcept override { return entry_.number; }
    void keep_node_when_lost() noexcept override;
    void share_node_no_more() noexcept override;
    bool release_at_once() noexcept override;
    std::optional<Hold::Time> release_later() noexcept override;

    void trace(std::shared_ptr<LeaseSpan> span) override;
    void release(ClientView& through, std::function<void(error_code)> done) override;
    /// An event from the queue, on the strand.
    void on_node_lost();

private:
    std::shared_ptr<LocalHold> self() { return std::static_pointer_cast<LocalHold>(shared_from_this()); }
    void on_ended(LeaseState how) noexcept;
    bool goes_out() noexcept { return inside_.exchange(false); }
    bool is_over() noexcept override;
    void attend() override;
    void on_made_revocable() override;
    void report_end(LeaseState how);

    const std::shared_ptr<LocalQueue> queue_;
    const std::shared_ptr<NodeLease> lease_;
    LocalNode& node_; // while inside
    const HoldCounter::Entry entry_;
    std::atomic<bool> inside_{true};
    std::atomic<bool> keeps_node_{false};
};

} // namespace docent::detail
