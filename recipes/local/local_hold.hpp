// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/listeners.hpp"
#include "lease/node_lease.hpp"
#include "local/local_queue.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace docent::detail {

/// A hold in a node that the process shares. It lasts until it is released, its time is up, or the node is lost. Rarely used
/// parts are made on demand, because most holds are short.
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
    std::chrono::nanoseconds remaining() noexcept override;
    std::stop_token stop_token() noexcept override;
    const std::string& path() const noexcept override { return lease_->path(); }
    std::string data() const override { return lease_->data(); }
    const std::string& encoded_data() const noexcept override { return lease_->encoded_data(); }
    std::int64_t czxid() const noexcept override { return lease_->czxid(); }
    std::int64_t fencing_token() const noexcept override { return lease_->fencing_token(); }
    std::uint64_t hold_number() const noexcept override { return entry_.number; }
    std::uint64_t epoch() const noexcept override { return lease_->epoch(); }
    const std::optional<PermitUsage>& usage() const noexcept override { return lease_->usage(); }
    const BootNow& boot_now() const noexcept override { return lease_->boot_now(); }
    const std::shared_ptr<ClientView>& view() const noexcept override { return lease_->view(); }
    void make_revocable(RevocationListenerPtr listener) override;
    void keep_node_when_lost() noexcept override;
    void share_node_no_more() noexcept override;
    bool release_at_once() noexcept override;
    std::optional<Hold::Time> release_later() noexcept override;

    void trace(std::shared_ptr<LeaseSpan> span) override;
    void ask_to_stop() noexcept override;
    void release(ClientView& through, std::function<void(error_code)> done) override;
    Registration when_over(std::function<void(error_code)> done) override;

    // Events from the queue, on the strand.
    void on_node_lost();
    void on_asked_for();

private:
    /// The parts that are made when a caller wants to learn of the end.
    struct Audience {
        std::stop_source stop;
        Listeners<error_code> waiting;
        RevocationListenerPtr listener; // while it is held
        bool told = false;              // the listener was called
    };

    std::shared_ptr<LocalHold> self() { return std::static_pointer_cast<LocalHold>(shared_from_this()); }
    void on_ended(LeaseState how) noexcept;
    bool goes_out() noexcept { return inside_.exchange(false, std::memory_order_acq_rel); }
    Audience& audience(); // under the mutex
    void attend();
    void drop_listener() noexcept;
    void tell_end();
    void report_end(LeaseState how);

    const std::shared_ptr<LocalQueue> queue_;
    const std::shared_ptr<NodeLease> lease_;
    LocalNode& node_; // while inside
    const HoldCounter::Entry entry_;
    std::atomic<bool> inside_{true};
    std::atomic<bool> keeps_node_{false};
    std::atomic<bool> has_audience_{false};
    std::mutex mutex_;
    std::unique_ptr<Audience> audience_;
};

} // namespace docent::detail
