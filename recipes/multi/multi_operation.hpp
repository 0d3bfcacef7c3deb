// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "lease/lease_core.hpp"
#include "multi/multi_machine.hpp"

#include <docent/recipes/inter_process_multi_lock.hpp>
#include <docent/recipes/multi_lease.hpp>

#include <boost/thread/mutex.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

/// The state of an InterProcessMultiLock.
class MultiCore {
public:
    /// Throws Error, as documented at the constructor of InterProcessMultiLock.
    explicit MultiCore(std::vector<std::shared_ptr<LockSource>> listed);

    const std::shared_ptr<ClientView>& view() const noexcept { return listed_.front()->view(); }
    const std::vector<std::shared_ptr<LockSource>>& listed() const noexcept { return listed_; }
    /// The locks in an order that is the same for all clients, as indexes of listed().
    const std::vector<std::size_t>& order() const noexcept { return order_; }
    std::vector<std::string> paths() const;

private:
    const std::vector<std::shared_ptr<LockSource>> listed_;
    std::vector<std::size_t> order_;
};

/// Throws MultiLockError if `ec` is set.
void throw_if(const error_code& ec, std::string_view operation, const std::vector<std::string>& paths,
              const std::vector<LockFailure>& failures);

/// The state of a MultiLease.
class HeldLocks {
public:
    /// All locks are held. `paths`: of the locks, in the order of `leases`.
    HeldLocks(std::shared_ptr<ClientView> view, std::vector<std::string> paths, std::vector<Lease> leases);
    /// No lock is held.
    explicit HeldLocks(std::vector<LockFailure> failures);
    ~HeldLocks();
    HeldLocks(const HeldLocks&) = delete;
    HeldLocks& operator=(const HeldLocks&) = delete;

    const std::shared_ptr<ClientView>& view() const noexcept { return view_; } // null if there are no leases
    const std::vector<std::string>& paths() const noexcept { return paths_; }
    const std::vector<Lease>& leases() const noexcept { return leases_; }
    std::vector<Lease>& leases() noexcept { return leases_; }
    std::stop_token stop_token() const noexcept { return lost_.get_token(); }

    std::vector<LockFailure> failures() const;
    void set_failures(std::vector<LockFailure> failures);

private:
    struct PassOn {
        std::stop_source to;
        // A copy, because the request may lead to the destruction of this object.
        void operator()() const noexcept { std::stop_source(to).request_stop(); }
    };
    using Forwards = std::deque<std::stop_callback<PassOn>>;

    std::shared_ptr<ClientView> view_;
    std::vector<std::string> paths_;
    std::vector<Lease> leases_;
    std::stop_source lost_;
    std::shared_ptr<Forwards> forwards_;
    mutable boost::mutex mutex_;
    std::vector<LockFailure> failures_;
};

/// A call that takes several locks: carries out the actions of a MultiMachine.
class MultiOperation final : public Operation {
public:
    /// `call`: gives the retry policy of each attempt.
    MultiOperation(std::shared_ptr<MultiCore> core, AcquireWait wait, CallOptions call, Done<MultiLease> done);

    void begin() override;
    void abort(error_code ec) override;
    Awaited awaited() const override { return Awaited::turn; }

private:
    struct Slot {
        std::shared_ptr<Operation> attempt; // under way; owns this object
        Lease lease;
        Registration over;
    };

    void perform(MultiActions actions);
    void perform(const TryLock& action) { ask(action.lock, {AcquireWait::Kind::not_at_all}); }
    void perform(const AwaitLock& action) { ask(action.lock, {}); }
    void perform(const AbortAttempt& action);
    void perform(const GiveBack& action);
    void perform(const GrantAll& action);
    void perform(const FailAll& action);

    const LockSource& source(std::size_t lock) const { return *core_->listed()[core_->order()[lock]]; }
    void ask(std::size_t lock, AcquireWait wait);
    void on_answer(std::size_t lock, error_code ec, Lease lease);
    void finish(error_code ec, MultiLease lease);

    const std::shared_ptr<MultiCore> core_;
    const AcquireWait wait_;
    const CallOptions call_;
    Done<MultiLease> done_;
    std::vector<Slot> slots_;             // in the machine's order
    std::optional<MultiMachine> machine_; // from begin() on
    std::deque<MultiAction> to_do_;
    bool performing_ = false;
    Registration deadline_;
};

} // namespace docent::detail
