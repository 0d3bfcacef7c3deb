// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/leader/leader_selector.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "leader/election_inspection.hpp"
#include "leader/latch_core.hpp"
#include "leader/leader_work.hpp"
#include "leader/selector_core.hpp"
#include "lease/lease_core.hpp"

#include <docent/path.hpp>

#include <utility>

namespace docent {
namespace detail {
namespace {

template <typename Function>
std::shared_ptr<SelectorCore> make_selector(const Client& client, std::string_view path, Function work,
                                            SelectorOptions options) {
    if (const error_code ec = check_path(path)) {
        throw Error(ec, "leader selector " + std::string(path) + ": " + explain_path(path));
    }
    const auto& view = Access::open_view(client, "leader selector");
    LockOptions lead{.label = options.label, .max_hold = options.max_hold};
    if (!options.id.empty()) lead.node_data = options.id;
    auto terms = lease_terms(*view, std::string(path), std::move(lead));
    auto parts = selector_parts(view, std::move(work), options);
    return std::make_shared<SelectorCore>(view, std::string(path), std::move(options), std::move(terms), std::move(parts.work),
                                          std::move(parts.report));
}

std::shared_ptr<void> close_at_end(const std::shared_ptr<SelectorCore>& core) {
    return post_at_end(core->view(), [core] { core->close([] {}); });
}

} // namespace

asio::any_io_executor executor_of(const SelectorCore& core) {
    return core.view()->executor();
}

void initiate_selector_close(const std::shared_ptr<SelectorCore>& core, CallOptions call, Handler<> handler) {
    const auto make = [&core](const auto& view, Done<> done) {
        auto work = [core](ClientView&, std::function<void()> then) { core->close(std::move(then)); };
        return std::make_shared<GiveUpOperation>(view, std::move(work), true, std::move(done));
    };
    launch<>(core->view(), {"selector_close", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_participants(const std::shared_ptr<SelectorCore>& core, CallOptions call,
                           Handler<std::vector<Participant>> handler) {
    inspect_election({*core, RecipeKind::mutex, "selector_participants"}, std::move(call), std::move(handler), &all_of);
}

void initiate_leader(const std::shared_ptr<SelectorCore>& core, CallOptions call, Handler<std::optional<Participant>> handler) {
    inspect_election({*core, RecipeKind::mutex, "selector_leader"}, std::move(call), std::move(handler), &first_of);
}

} // namespace detail

LeaderSelector::LeaderSelector(Client& client, std::string_view path, Work work, SelectorOptions options) {
    core_ = detail::make_selector(client, path, std::move(work), std::move(options));
    candidacy_ = detail::close_at_end(core_);
}

LeaderSelector::LeaderSelector(Client& client, std::string_view path, CoroutineWork work, SelectorOptions options) {
    core_ = detail::make_selector(client, path, std::move(work), std::move(options));
    candidacy_ = detail::close_at_end(core_);
}

LeaderSelector::LeaderSelector(detail::SameObject, const LeaderSelector& other) : candidacy_(other.candidacy_) {
    core_ = other.core_;
}

LeaderSelector::~LeaderSelector() = default;

const std::string& LeaderSelector::path() const noexcept {
    return core_->path();
}

const std::string& LeaderSelector::id() const noexcept {
    return core_->id();
}

void LeaderSelector::start(error_code& ec) {
    ec = core_->start();
}

void LeaderSelector::start() {
    detail::throw_if(core_->start(), "start the leader selector", path());
}

bool LeaderSelector::requeue(error_code& ec) {
    return core_->requeue(ec);
}

bool LeaderSelector::requeue() {
    return detail::throwing("requeue at", path(), [&](error_code& ec) { return requeue(ec); });
}

bool LeaderSelector::interrupt_leadership() {
    return core_->interrupt();
}

bool LeaderSelector::has_leadership() const noexcept {
    return core_->leadership() != nullptr;
}

Leadership LeaderSelector::leadership() const noexcept {
    return core_->leadership();
}

void LeaderSelector::close(error_code& ec, CallOptions call) {
    if (core_->works_here()) { // the work itself closes: to wait for its end would be a deadlock
        ec = {};
        return core_->view()->post([core = core_] { core->close([] {}); });
    }
    detail::block_on<>(
        *core_->view(), std::move(call), ec,
        [this](CallOptions options, detail::Handler<> handler) {
            detail::initiate_selector_close(core_, std::move(options), std::move(handler));
        },
        {}, detail::BeforeStart::goes_on);
}

void LeaderSelector::close(CallOptions call) {
    detail::throwing("close the leader selector", path(), [&](error_code& ec) { close(ec, std::move(call)); });
}

std::vector<Participant> LeaderSelector::participants(error_code& ec, CallOptions call) const {
    return detail::block_on_participants(core_, std::move(call), ec);
}

std::vector<Participant> LeaderSelector::participants(CallOptions call) const {
    return detail::block_on_participants(core_, std::move(call));
}

std::optional<Participant> LeaderSelector::leader(error_code& ec, CallOptions call) const {
    return detail::block_on_leader(core_, std::move(call), ec);
}

std::optional<Participant> LeaderSelector::leader(CallOptions call) const {
    return detail::block_on_leader(core_, std::move(call));
}

} // namespace docent
