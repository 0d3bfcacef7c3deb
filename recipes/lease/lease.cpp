// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/lease.hpp>

#include "client/core/blocking.hpp"
#include "lease/lease_core.hpp"

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
    if (core_ && !core_.is_foreign()) core_->release_later();
}

Lease& Lease::operator=(Lease&& other) noexcept {
    if (this == &other) return *this;
    if (core_ && !core_.is_foreign()) core_->release_later();
    core_ = std::move(other.core_);
    return *this;
}

bool Lease::owns() const noexcept {
    return core_ && !core_.is_foreign() && core_->owns();
}

LeaseState Lease::state() const noexcept {
    if (core_.is_foreign()) return LeaseState::lost;
    return core_ ? core_->state() : LeaseState::released;
}

std::chrono::nanoseconds Lease::remaining() const noexcept {
    return core_ && !core_.is_foreign() ? core_->remaining() : std::chrono::nanoseconds::zero();
}

std::optional<std::chrono::nanoseconds> Lease::remaining_hold() const noexcept {
    return core_ && !core_.is_foreign() ? core_->remaining_hold() : std::chrono::nanoseconds::zero();
}

void Lease::extend(std::chrono::milliseconds from_now) const {
    error_code ec;
    extend(from_now, ec);
    detail::throw_if(ec, "extend", node_path());
}

void Lease::extend(std::chrono::milliseconds from_now, error_code& ec) const noexcept {
    ec = error::lease_lost;
    if (core_) ec = core_.is_foreign() ? make_error_code(error::other_process) : core_->extend(from_now);
}

std::stop_token Lease::stop_token() const noexcept {
    return core_ && !core_.is_foreign() ? core_->stop_token() : std::stop_token{};
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
    return core_ ? core_->usage() : std::nullopt;
}

std::string Lease::data() const {
    return core_ ? core_->data() : std::string{};
}

void Lease::release(CallOptions call) {
    error_code ec;
    release(ec, std::move(call));
    detail::throw_if(ec, "release", node_path());
}

void Lease::release(error_code& ec, CallOptions call) {
    ec = {};
    if (!core_ || (!core_.is_foreign() && core_->release_at_once())) return;
    detail::block_on<>(*core_->view(), std::move(call), ec, [core = core_](CallOptions options, detail::Handler<> handler) {
        detail::initiate_release(core, std::move(options), std::move(handler));
    });
}

void Lease::wait_lost(error_code& ec, CallOptions call) const {
    if (!core_) {
        ec = asio::error::operation_aborted;
        return;
    }
    detail::block_on<>(*core_->view(), std::move(call), ec, [core = core_](CallOptions options, detail::Handler<> handler) {
        detail::initiate_wait_lost(core, std::move(options), std::move(handler));
    });
}

void Lease::wait_lost(CallOptions call) const {
    error_code ec;
    wait_lost(ec, std::move(call));
    detail::throw_if(ec, "wait for the loss of", node_path());
}

void Lease::keep_node_when_lost() noexcept {
    if (core_ && !core_.is_foreign()) core_->keep_node_when_lost();
}

void Lease::make_revocable(std::function<void()> handler, asio::any_io_executor executor) {
    if (!core_ || core_.is_foreign()) return;
    std::function<void(const std::string&)> function;
    if (handler) function = [handler = std::move(handler)](const std::string&) { handler(); };
    core_->make_revocable(detail::make_revocation_listener(*core_->view(), std::move(function), executor));
}

Lease Lease::downgrade(CallOptions call) {
    error_code ec;
    Lease read = downgrade(ec, std::move(call));
    detail::throw_if(ec, "downgrade", node_path());
    return read;
}

Lease Lease::downgrade(error_code& ec, CallOptions call) {
    if (!core_) {
        ec = error::lease_lost;
        return {};
    }
    return detail::block_on<Lease>(*core_->view(), std::move(call), ec,
                                   [core = core_](CallOptions options, detail::Handler<Lease> handler) {
                                       detail::initiate_downgrade(core, std::move(options), std::move(handler));
                                   });
}

} // namespace docent
