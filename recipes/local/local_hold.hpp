// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lease/node_lease.hpp"
#include "local/local_queue.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace docent::detail {

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
