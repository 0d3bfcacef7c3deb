// SPDX-License-Identifier: Apache-2.0

#include "client/core/blocking.hpp"
#include "client/core/completion/completion.hpp"
#include "client/core/launch.hpp"
#include "client/operations/sequence_operation.hpp"
#include "lease/lease_core.hpp"

#include <docent/recipes/lease.hpp>

#include <boost/asio/error.hpp>

#include <utility>

namespace docent {

std::string_view to_string(LeaseState state) noexcept {
    switch (state) {
    case LeaseState::held: return "held";
    case LeaseState::suspended: return "suspended";
    case LeaseState::lost: return "lost";
    case LeaseState::expired: return "expired";
    case LeaseState::released: return "released";
    }
    return "unknown";
}

Lease::Lease(std::shared_ptr<detail::LeaseCore> core) {
    core_ = std::move(core);
}

Lease::~Lease() {
    if (auto* const core = core_.own()) core->release_later();
}

Lease& Lease::operator=(Lease&& other) noexcept {
    if (this == &other) return *this;
    if (auto* const core = core_.own()) core->release_later();
    core_ = std::move(other.core_);
    return *this;
}

bool Lease::owns() const noexcept {
    auto* const core = core_.own();
    return core && core->owns();
}

LeaseState Lease::state() const noexcept {
    if (core_.is_foreign()) return LeaseState::lost;
    return core_ ? core_->state() : LeaseState::released;
}

std::chrono::nanoseconds Lease::remaining() const noexcept {
    auto* const core = core_.own();
    return core ? core->remaining() : std::chrono::nanoseconds::zero();
}

std::optional<std::chrono::nanoseconds> Lease::remaining_hold() const noexcept {
    auto* const core = core_.own();
    return core ? core->remaining_hold() : std::chrono::nanoseconds::zero();
}

void Lease::extend(std::chrono::milliseconds from_now) const {
    detail::throwing("extend", node_path(), [&](error_code& ec) { extend(from_now, ec); });
}

void Lease::extend(std::chrono::milliseconds from_now, error_code& ec) const noexcept {
    ec = error::lease_lost;
    if (core_) ec = core_.is_foreign() ? make_error_code(error::other_process) : core_->extend(from_now);
}

std::stop_token Lease::stop_token() const noexcept {
    auto* const core = core_.own();
    return core ? core->stop_token() : std::stop_token{};
}

std::int64_t Lease::fencing_token() const noexcept {
    return core_ ? core_->fencing_token() : 0;
}

std::uint64_t Lease::hold_number() const noexcept {
    return core_ ? core_->hold_number() : 0;
}

std::string Lease::node_path() const {
    return core_ ? core_->path() : std::string{};
}

std::optional<PermitUsage> Lease::usage_at_grant() const {
    return core_ ? core_->node().usage : std::nullopt;
}

std::string Lease::data() const {
    return core_ ? core_->data() : std::string{};
}

void Lease::release(CallOptions call) {
    detail::throwing("release", node_path(), [&](error_code& ec) { release(ec, std::move(call)); });
}

void Lease::release(error_code& ec, CallOptions call) {
    ec = {};
    if (!core_ || (!core_.is_foreign() && core_->release_at_once())) return;
    const auto core = core_;
    detail::block<>(*core->view(), std::move(call), ec, detail::initiate_release, core);
}

void Lease::wait_lost(error_code& ec, CallOptions call) const {
    if (!core_) {
        ec = asio::error::operation_aborted;
        return;
    }
    const auto core = core_;
    detail::block<>(*core->view(), std::move(call), ec, detail::initiate_wait_lost, core);
}

void Lease::wait_lost(CallOptions call) const {
    detail::throwing("wait for the loss of", node_path(), [&](error_code& ec) { wait_lost(ec, std::move(call)); });
}

void Lease::keep_node_when_lost() noexcept {
    if (auto* const core = core_.own()) core->keep_node_when_lost();
}

void Lease::make_revocable(std::function<void()> handler, asio::any_io_executor executor) {
    if (!core_.own()) return;
    std::function<void(const std::string&)> function;
    if (handler) function = [handler = std::move(handler)](const std::string&) { handler(); };
    core_->make_revocable(detail::make_revocation_listener(*core_->view(), std::move(function), executor));
}

Lease Lease::downgrade(CallOptions call) {
    return detail::throwing("downgrade", node_path(), [&](error_code& ec) { return downgrade(ec, std::move(call)); });
}

Lease Lease::downgrade(error_code& ec, CallOptions call) {
    if (!core_) {
        ec = error::lease_lost;
        return {};
    }
    const auto core = core_;
    return detail::block<Lease>(*core->view(), std::move(call), ec, detail::initiate_downgrade, core);
}

} // namespace docent

namespace docent::detail {

// Lease::release() as an operation on the client's strand.

namespace {

/// Releases a lease, also if the call is cancelled.
class ReleaseOperation final : public Operation {
public:
    ReleaseOperation(std::shared_ptr<ClientView> view, std::shared_ptr<LeaseCore> core, Done<> done)
        : view_(std::move(view)), core_(std::move(core)), done_(std::move(done)) {}

    void begin() override {
        sent_ = view_->session().state == SessionState::connected;
        core_->release(*view_, [self = shared_from_this(), this](error_code ec) { finish(ec); });
    }
    void abort(error_code ec) override {
        core_->release_later();
        finish(ec);
    }
    bool may_have_effects() const override { return true; }
    Awaited awaited() const override { return sent_ ? Awaited::effect : Awaited::answer; }

private:
    void finish(error_code ec) {
        if (done_) std::exchange(done_, nullptr)(ec);
    }

    std::shared_ptr<ClientView> view_;
    std::shared_ptr<LeaseCore> core_;
    Done<> done_;
    bool sent_ = false; // a server may have got the removal of the node
};

} // namespace

asio::any_io_executor executor_of(const LeaseCore& core) {
    return core.view()->executor();
}

void initiate_release(const std::shared_ptr<LeaseCore>& core, CallOptions call, Handler<> handler) {
    if (!core) return complete_empty<>(std::move(handler), {});
    launch_made<ReleaseOperation>(core->view(), {"release", core->path()}, std::move(call), std::move(handler), core);
}

void initiate_wait_lost(const std::shared_ptr<LeaseCore>& core, CallOptions call, Handler<> handler) {
    if (!core) return complete_empty<>(std::move(handler), asio::error::operation_aborted);
    const auto make = [&core](const auto&, Done<> done) {
        const auto listen = [core](Done<> ended) { return core->when_over(std::move(ended)); };
        return std::make_shared<AwaitOperation<>>(listen, Awaited::news, std::move(done));
    };
    launch<>(core->view(), {}, std::move(call), std::move(handler), make);
}

} // namespace docent::detail
