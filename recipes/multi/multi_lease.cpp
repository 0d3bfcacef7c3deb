// SPDX-License-Identifier: Apache-2.0

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/completion/completion.hpp"
#include "client/core/launch.hpp"
#include "lease/lease_core.hpp"
#include "multi/multi_operation.hpp"

#include <docent/recipes/multi_lease.hpp>

#include <boost/thread/lock_guard.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace docent::detail {

void throw_if(const error_code& ec, std::string_view operation, const std::vector<std::string>& paths,
              const std::vector<LockFailure>& failures) {
    if (!ec) return;
    std::string locks;
    for (const auto& path : paths) locks += (locks.empty() ? "" : ", ") + path;
    std::string details;
    for (const auto& failure : failures) details += (details.empty() ? "" : "; ") + failure.path + ": " + failure.ec.message();
    if (!details.empty()) details = " (" + details + ")";
    throw MultiLockError(ec, std::string(operation) + " " + locks + details, failures);
}

HeldLocks::HeldLocks(std::shared_ptr<ClientView> view, std::vector<std::string> paths, std::vector<Lease> leases)
    : view_(std::move(view)), paths_(std::move(paths)), leases_(std::move(leases)), forwards_(std::make_shared<Forwards>()) {
    for (const Lease& lease : leases_) forwards_->emplace_back(lease.stop_token(), PassOn{lost_});
}

HeldLocks::HeldLocks(std::vector<LockFailure> failures) : failures_(std::move(failures)) {}

HeldLocks::~HeldLocks() {
    if (!view_) return;
    try {
        // To destroy a stop callback that is running would wait for it, so the strand does this.
        view_->post([forwards = std::move(forwards_)] {});
    } catch (...) {
        // Without memory, they are destroyed here.
    }
}

std::vector<LockFailure> HeldLocks::failures() const {
    if (view_ && !view_->is_here()) return {};
    const boost::lock_guard lock(mutex_);
    return failures_;
}

void HeldLocks::set_failures(std::vector<LockFailure> failures) {
    const boost::lock_guard lock(mutex_);
    failures_ = std::move(failures);
}

} // namespace docent::detail

namespace docent {

MultiLease::MultiLease(std::shared_ptr<detail::HeldLocks> held) {
    core_ = std::move(held);
}

bool MultiLease::owns() const noexcept {
    return !leases().empty() && std::all_of(leases().begin(), leases().end(), [](const Lease& lease) { return lease.owns(); });
}

std::stop_token MultiLease::stop_token() const noexcept {
    return core_ ? core_->stop_token() : std::stop_token{};
}

const std::vector<Lease>& MultiLease::leases() const noexcept {
    static const std::vector<Lease> none;
    return core_ ? core_->leases() : none;
}

void MultiLease::keep_nodes_when_lost() noexcept {
    if (!core_) return;
    for (Lease& lease : core_->leases()) lease.keep_node_when_lost();
}

void MultiLease::make_revocable(const std::function<void()>& handler, const asio::any_io_executor& executor) {
    if (!core_) return;
    for (Lease& lease : core_->leases()) lease.make_revocable(handler, executor);
}

std::vector<LockFailure> MultiLease::failures() const {
    return core_ ? core_->failures() : std::vector<LockFailure>{};
}

void MultiLease::release(CallOptions call) {
    error_code ec;
    release(ec, std::move(call));
    if (ec) detail::throw_if(ec, "release", core_->paths(), failures());
}

void MultiLease::release(error_code& ec, CallOptions call) {
    ec = {};
    if (leases().empty()) return;
    const auto held = core_;
    detail::block<>(*held->view(), std::move(call), ec, detail::initiate_release_all, held);
}

} // namespace docent

namespace docent::detail {

// MultiLease::release() as an operation on the client's strand.

namespace {

/// Whatever ends the call, all leases are released.
class ReleaseAllOperation final : public Operation {
public:
    ReleaseAllOperation(std::shared_ptr<HeldLocks> held, CallOptions call, Done<> done)
        : held_(std::move(held)), call_(std::move(call)), done_(std::move(done)), left_(held_->leases().size()),
          answers_(left_) {}

    void begin() override {
        for (std::size_t i = 0; i < answers_.size(); ++i) {
            const auto core = Access::core(held_->leases()[i]);
            const auto observation = observe(core->view(), {"release", core->path()}, call_);
            core->release(observation ? *observation : *core->view(),
                          [self = shared_from_this(), this, i, observation](error_code ec) {
                              if (observation) observation->on_completed(ec);
                              answers_[i] = ec;
                              if (--left_ == 0) finish();
                          });
        }
    }
    void abort(error_code ec) override {
        for (std::size_t i = 0; i < answers_.size(); ++i) {
            Access::core(held_->leases()[i])->release_later();
            if (!answers_[i]) answers_[i] = ec;
        }
        finish();
    }
    bool may_have_effects() const override { return true; }

private:
    void finish() {
        if (!done_) return;
        std::vector<LockFailure> failures;
        for (std::size_t i = 0; i < answers_.size(); ++i) {
            if (*answers_[i]) failures.push_back({held_->paths()[i], *answers_[i]});
        }
        const error_code first = failures.empty() ? error_code{} : failures.front().ec;
        held_->set_failures(std::move(failures));
        std::exchange(done_, nullptr)(first);
    }

    std::shared_ptr<HeldLocks> held_;
    CallOptions call_;
    Done<> done_;
    std::size_t left_;
    std::vector<std::optional<error_code>> answers_;
};

} // namespace

asio::any_io_executor executor_of(const HeldLocks& held) {
    return held.view() ? held.view()->executor() : asio::any_io_executor{};
}

void initiate_release_all(const std::shared_ptr<HeldLocks>& held, CallOptions call, Handler<> handler) {
    if (!held || held->leases().empty()) return complete_empty<>(std::move(handler), {});
    const auto make = [&, retry_policy = call.retry_policy](const auto&, Done<> done) {
        return std::make_shared<ReleaseAllOperation>(held, CallOptions{.retry_policy = retry_policy}, std::move(done));
    };
    launch<>(held->view(), {}, std::move(call), std::move(handler), make);
}

} // namespace docent::detail
