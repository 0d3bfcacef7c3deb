// SPDX-License-Identifier: Apache-2.0
#pragma once

// The holds of one lock that the threads and tasks of this process have through one client, by nodes that they share.

#include "client/core/operation.hpp"
#include "lease/lease_core.hpp"
#include "local/local_machine.hpp"
#include "local/local_node.hpp"
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
#include <utility>
#include <vector>

namespace docent::detail {

/// What becomes of one who waits.
struct LocalOutcome {
    error_code ec = {};
    Lease lease = {};
    bool alone = false; // it must get a node of its own: see LocalQueue::adopt()
};

class LocalQueue final : public std::enable_shared_from_this<LocalQueue> {
public:
    using Ticket = LocalMachine::Ticket;

    LocalQueue(std::shared_ptr<ClientView> view, QueuePlace place, BootNow boot_now);
    ~LocalQueue();
    LocalQueue(const LocalQueue&) = delete;
    LocalQueue& operator=(const LocalQueue&) = delete;

    /// Whether a lock's options ask for any of this.
    static bool is_wanted(const LeaseTerms& terms) {
        return terms.keep_for > terms.keep_for.zero() || terms.max_local_handovers > 0;
    }

    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    const SharedPlace& place() const noexcept { return place_; }
    const BootNow& boot_now() const noexcept { return boot_now_; }
    /// Whether those who wait in this process do so together.
    bool joins() const noexcept { return rules_.joins(); }
    /// Whether many are inside together, most of them without asking anybody.
    bool is_read_and_kept() const noexcept { return rules_.shared && rules_.keeps; }

    // ---- from any thread

    /// Without asking anybody; nothing if that cannot be. `self` is this queue: the hold owns it as the caller does.
    Lease enter_at_once(const std::shared_ptr<LocalQueue>& self);
    /// Otherwise. `done` is called once, from any thread and also from inside this, unless give_up() comes before.
    /// `tries`: not to wait for others.
    Ticket wait(bool tries, std::function<void(LocalOutcome)> done);
    /// False if `done` is being called, or has been.
    bool give_up(Ticket ticket);

    // For holds. `node` is not to be used any more by who has left it.
    void leave(LocalNode& node, const Occupancy::Visit& visit);
    /// On the strand. True if the node is to be given back, which the caller does, before it leaves the strand. Not so if
    /// another hold is inside, or one comes too late at that moment: that one gives it back.
    bool leave_to_give_back(LocalNode& node, const Occupancy::Visit& visit);
    /// `hold` is to be told when the node is lost, or asked for. False if it is lost already.
    bool attend(LocalNode& node, std::weak_ptr<LocalHold> hold);
    bool is_asked_for(const LocalNode& node);
    /// Nobody else comes into it.
    void retire(LocalNode& node);

    // ---- on the strand

    /// One who was told to be alone has got this node.
    Lease adopt(const std::shared_ptr<ClientView>& view, GrantedNode node);

private:
    using Done = std::function<void(LocalOutcome)>;
    /// What follows from a decision when the mutex is free again.
    struct Effects {
        std::vector<std::pair<Done, LocalOutcome>> calls = {};
        const LocalNode* left_to_caller = nullptr; // who gives it back
        bool given_back = false;                   // that
        void carry_out();
    };

    LocalNode* current() const noexcept { return current_.load(std::memory_order_acquire); }
    Lease make_hold(const std::shared_ptr<LocalQueue>& self, LocalNode& node, const Occupancy::Visit& visit) const;
    /// Decides with the node closed: nobody comes in meanwhile.
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
    template <typename Function> std::function<void()> while_alive(Function function);

    const std::shared_ptr<ClientView> view_;
    const SharedPlace place_;
    const std::chrono::milliseconds max_hold_;
    const std::chrono::milliseconds keep_for_;
    const BootNow boot_now_;
    const LocalRules rules_;
    std::atomic<LocalNode*> current_{nullptr};

    const posix::ProcessMark process_;
    std::mutex mutex_; // what is below, and all decisions
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
    bool is_alone_ = false;  // our node was the only child when the queue was listed
    bool was_empty_ = false; // the node, when it was last looked at
    std::uint64_t seen_entered_ = 0;
    Registration session_;
    Registration idle_timer_;
    Registration look_timer_;
};

} // namespace docent::detail
