// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/leader_latch.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/events/user_listener.hpp"
#include "leader/election_inspection.hpp"
#include "leader/latch_core.hpp"
#include "lease/lease_core.hpp"

#include <docent/path.hpp>

#include <utility>

namespace docent {

std::string_view to_string(LatchState state) noexcept {
    switch (state) {
    case LatchState::latent: return "latent";
    case LatchState::started: return "started";
    case LatchState::closed: return "closed";
    }
    return "unknown";
}

std::string_view to_string(LeadershipChange change) noexcept {
    switch (change) {
    case LeadershipChange::gained: return "gained";
    case LeadershipChange::lost: return "lost";
    case LeadershipChange::given_up: return "given_up";
    case LeadershipChange::not_entered: return "not_entered";
    }
    return "unknown";
}

LeaderLatch::LeaderLatch(Client& client, std::string_view path, LatchOptions options) {
    if (const error_code ec = check_path(path)) {
        throw Error(ec, "leader latch " + std::string(path) + ": " + explain_path(path));
    }
    const auto& view = detail::Access::open_view(client, "leader latch");
    auto terms = detail::lease_terms(*view, std::string(path),
                                     {.node_data = options.id, .label = options.label, .max_hold = options.max_hold});
    core_ = std::make_shared<detail::LatchCore>(view, std::string(path), std::move(options), std::move(terms));
    candidacy_ = detail::post_at_end(view, [core = core_] { core->close(LatchClose::silently, *core->view(), [] {}); });
}

LeaderLatch::LeaderLatch(detail::SameObject, const LeaderLatch& other) : candidacy_(other.candidacy_) {
    core_ = other.core_;
}

LeaderLatch::~LeaderLatch() = default;

const std::string& LeaderLatch::path() const noexcept {
    return core_->path();
}

const std::string& LeaderLatch::id() const noexcept {
    return core_->id();
}

LatchState LeaderLatch::state() const noexcept {
    return core_->state();
}

void LeaderLatch::start(error_code& ec) {
    ec = core_->start();
}

void LeaderLatch::start() {
    detail::throw_if(core_->start(), "start the leader latch", path());
}

bool LeaderLatch::has_leadership() const noexcept {
    return core_->leadership() != nullptr;
}

Leadership LeaderLatch::leadership() const noexcept {
    return core_->leadership();
}

Leadership LeaderLatch::await_leadership(error_code& ec, CallOptions call) {
    return detail::block<Leadership>(*core_->view(), std::move(call), ec, detail::initiate_await_leadership, core_);
}

Leadership LeaderLatch::await_leadership(CallOptions call) {
    return detail::throwing("await leadership at", path(),
                            [&](error_code& ec) { return await_leadership(ec, std::move(call)); });
}

void LeaderLatch::resign(error_code& ec, CallOptions call) {
    detail::block_on<>(
        *core_->view(), std::move(call), ec,
        [this](CallOptions options, detail::Handler<> handler) {
            detail::initiate_resign(core_, std::move(options), std::move(handler));
        },
        {}, detail::BeforeStart::goes_on);
}

void LeaderLatch::resign(CallOptions call) {
    detail::throwing("resign at", path(), [&](error_code& ec) { resign(ec, std::move(call)); });
}

void LeaderLatch::close(LatchClose how, error_code& ec, CallOptions call) {
    detail::block_on<>(
        *core_->view(), std::move(call), ec,
        [this, how](CallOptions options, detail::Handler<> handler) {
            detail::initiate_latch_close(core_, how, std::move(options), std::move(handler));
        },
        {}, detail::BeforeStart::goes_on);
}

void LeaderLatch::close(LatchClose how, CallOptions call) {
    detail::throwing("close the leader latch", path(), [&](error_code& ec) { close(how, ec, std::move(call)); });
}

std::vector<Participant> LeaderLatch::participants(error_code& ec, CallOptions call) const {
    return detail::block_on_participants(core_, std::move(call), ec);
}

std::vector<Participant> LeaderLatch::participants(CallOptions call) const {
    return detail::block_on_participants(core_, std::move(call));
}

std::optional<Participant> LeaderLatch::leader(error_code& ec, CallOptions call) const {
    return detail::block_on_leader(core_, std::move(call), ec);
}

std::optional<Participant> LeaderLatch::leader(CallOptions call) const {
    return detail::block_on_leader(core_, std::move(call));
}

Subscription LeaderLatch::listen(std::function<void(const LeadershipEvent&)> listener, asio::any_io_executor executor) {
    return Subscription(detail::listen_for_user<LeadershipEvent>(
        core_->view(), [core = core_](auto each) { return core->listen(std::move(each)); }, std::move(listener), executor));
}

} // namespace docent
