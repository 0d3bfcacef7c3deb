// SPDX-License-Identifier: Apache-2.0
#include "multi/multi_operation.hpp"
#include "base/while_alive.hpp"
#include "client/core/access.hpp"
#include "client/core/launch.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <variant>

namespace docent::detail {

// ---- MultiCore

MultiCore::MultiCore(std::vector<std::shared_ptr<LockSource>> listed) : listed_(std::move(listed)), order_(listed_.size()) {
    if (listed_.empty()) throw Error(server_error::bad_arguments, "multi-lock without locks");
    std::vector<std::string> keys;
    for (const auto& lock : listed_) {
        if (&lock->view()->root() != &view()->root()) {
            throw Error(server_error::bad_arguments, "multi-lock with locks of two clients: " + lock->path());
        }
        keys.push_back(lock->view()->server_path(lock->path()));
    }
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    const auto twice =
        std::adjacent_find(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return keys[a] == keys[b]; });
    if (twice != order_.end()) {
        throw Error(error::would_deadlock, "multi-lock with the same path twice: " + listed_[*twice]->path());
    }
}

std::vector<std::string> MultiCore::paths() const {
    std::vector<std::string> paths;
    for (const auto& lock : listed_) paths.push_back(lock->path());
    return paths;
}

// ---- MultiOperation

MultiOperation::MultiOperation(std::shared_ptr<MultiCore> core, AcquireWait wait, CallOptions call, Done<MultiLease> done)
    : core_(std::move(core)), wait_(without_time_a_try(wait, core_->view()->now())), call_(std::move(call)),
      done_(std::move(done)), slots_(core_->order().size()) {}

void MultiOperation::begin() {
    const WaitMode wait_mode = wait_mode_of(wait_);
    machine_.emplace(slots_.size(), wait_mode, [this](std::size_t lock) { return slots_[lock].lease.owns(); });
    if (wait_.kind == AcquireWait::Kind::until) {
        deadline_ = core_->view()->call_at(
            wait_.deadline, while_alive(weak_from_this(), [this] { abort(error_when_over(*core_->view(), Awaited::turn)); }));
    }
    perform(machine_->start());
}

void MultiOperation::abort(error_code ec) {
    if (!machine_) return finish(ec, MultiLease{});
    const auto self = shared_from_this(); // the attempts may be the only owners
    perform(machine_->on_abort(ec));
}

// Performs actions one after the other. The result of an action may arrive before the action has returned.
void MultiOperation::perform(MultiActions actions) {
    std::move(actions.begin(), actions.end(), std::back_inserter(to_do_));
    if (std::exchange(performing_, true)) return;
    while (!to_do_.empty()) {
        const MultiAction action = std::move(to_do_.front());
        to_do_.pop_front();
        std::visit([this](const auto& a) { perform(a); }, action);
    }
    performing_ = false;
}

void MultiOperation::ask(std::size_t lock, AcquireWait wait) {
    const LockSource& lock_source = source(lock);
    const auto observation = observe(lock_source.view(), {"acquire", lock_source.path()}, call_);
    const auto self = std::static_pointer_cast<MultiOperation>(shared_from_this());
    auto done = [self, lock, observation](error_code ec, Lease lease) {
        if (observation) observation->on_completed(ec);
        self->on_answer(lock, ec, std::move(lease));
    };
    const auto attempt = lock_source.attempt(observation ? observation : lock_source.view(), wait, std::move(done));
    slots_[lock].attempt = attempt;
    attempt->begin();
}

void MultiOperation::on_answer(std::size_t lock, error_code ec, Lease lease) {
    Slot& slot = slots_[lock];
    slot.attempt.reset();
    if (ec) return perform(machine_->on_failed(lock, ec));
    slot.lease = std::move(lease);
    const auto core = Access::core(slot.lease);
    perform(machine_->on_obtained(lock));
    const auto is_current = [&] { return Access::core(slot.lease) == core; };
    if (!is_current()) return; // released or granted already
    auto over = core->when_over(while_alive(weak_from_this(), [this, lock](error_code released) {
        if (!released) perform(machine_->on_lost(lock));
    }));
    if (is_current()) slot.over = std::move(over); // otherwise lost just now, and perhaps acquired again
}

void MultiOperation::perform(const AbortAttempt& action) {
    const auto attempt = slots_[action.lock].attempt; // a copy: its answer clears the slot
    if (attempt) attempt->abort(asio::error::operation_aborted);
}

void MultiOperation::perform(const GiveBack& action) {
    Slot& slot = slots_[action.lock];
    slot.over.reset();
    slot.lease = Lease{};
}

void MultiOperation::perform(const GrantAll&) {
    std::vector<Lease> leases(slots_.size());
    for (std::size_t lock = 0; lock < slots_.size(); ++lock) {
        slots_[lock].over.reset();
        leases[core_->order()[lock]] = std::move(slots_[lock].lease);
    }
    finish({}, MultiLease(std::make_shared<HeldLocks>(core_->view(), core_->paths(), std::move(leases))));
}

void MultiOperation::perform(const FailAll& action) {
    std::vector<error_code> errors(slots_.size());
    for (std::size_t lock = 0; lock < slots_.size(); ++lock) errors[core_->order()[lock]] = action.errors[lock];
    std::vector<LockFailure> failures;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        if (errors[i]) failures.push_back({core_->listed()[i]->path(), errors[i]});
    }
    finish(action.ec, MultiLease(std::make_shared<HeldLocks>(std::move(failures))));
}

void MultiOperation::finish(error_code ec, MultiLease lease) {
    deadline_.reset();
    if (done_) std::exchange(done_, nullptr)(ec, std::move(lease));
}

asio::any_io_executor executor_of(const MultiCore& core) {
    return core.view()->executor();
}

void initiate_acquire(const std::shared_ptr<MultiCore>& core, AcquireWait wait, CallOptions call, Handler<MultiLease> handler) {
    const auto make = [&, retry_policy = call.retry_policy](const auto&, Done<MultiLease> done) {
        return std::make_shared<MultiOperation>(core, wait, CallOptions{.retry_policy = retry_policy}, std::move(done));
    };
    launch<MultiLease>(core->view(), {}, std::move(call), std::move(handler), make);
}

} // namespace docent::detail
