// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/leader_latch.hpp>

#include "base/while_alive.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/events/user_listener.hpp"
#include "client/operations/sequence_operation.hpp"
#include "leader/latch_core.hpp"
#include "lease/lease_core.hpp"

#include <utility>

namespace docent {
namespace detail {

LatchCore::LatchCore(std::shared_ptr<ClientView> view, std::string path, LatchOptions options, LeaseTerms terms,
                     BootNow boot_now)
    : Candidate(std::move(view), {RecipeKind::leader_latch, "latch_participants", "latch_leader"},
                {std::move(path), latch_names(), latch_token, Deletion::admits, std::move(terms)}, std::move(options.id),
                std::move(boot_now)),
      when_lost_(options.when_lost) {}

Registration LatchCore::when_leading(Waiter waiter) {
    if (const auto present = leadership()) {
        waiter({}, present);
        return nullptr;
    }
    if (const error_code ec = start()) {
        waiter(ec, nullptr);
        return nullptr;
    }
    return waiting_.add(std::move(waiter));
}

void LatchCore::resign(ClientView& through, std::function<void()> done) {
    give_up(through, std::move(done)); // on_over() enters again, after the removal
    if (forget_kept() && takes_part()) enter();
}

void LatchCore::close(LatchClose how, ClientView& through, std::function<void()> done) {
    if (state() == LatchState::closed) return done();
    if (how == LatchClose::silently) listeners_.clear();
    on_client_closed();
    withdraw();
    give_up(through, std::move(done));
    forget_kept();
}

void LatchCore::on_started() {
    session_ = view()->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) {
        if (event.state == SessionState::closed && takes_part()) on_client_closed();
    }));
    enter();
}

/// Leaves the election, but keeps the present leadership.
void LatchCore::on_client_closed() {
    end();
    waiting_.answer(error::closed, nullptr);
}

void LatchCore::give_up(ClientView& through, std::function<void()> done) {
    const auto lease = lease_;
    if (!lease) return done();
    lease->release(through, [done = std::move(done)](error_code) { done(); });
}

/// Forgets a lost leadership that has kept its node for give_up(). Returns whether there was one.
bool LatchCore::forget_kept() {
    if (!std::exchange(kept_, nullptr)) return false;
    lease_.reset();
    return true;
}

void LatchCore::on_hindered(error_code ec) {
    listeners_.tell({LeadershipChange::not_entered, nullptr, ec});
    waiting_.answer(ec, nullptr);
}

void LatchCore::on_granted(GrantedNode node) {
    const Leadership begun = begin_leadership(std::move(node));
    lease_ = Access::core(*begun);
    if (when_lost_ == WhenLost::keep_node) lease_->keep_node_when_lost();
    listeners_.tell({LeadershipChange::gained, begun});
    waiting_.answer({}, begun);
    const auto lease = lease_;
    over_ = lease->when_over(while_alive(weak_from_this(), [this](error_code ec) { on_over(ec); }));
}

void LatchCore::on_over(error_code ec) {
    over_.reset();
    const Leadership ended = end_leadership();
    const bool keeps_node = !ec && when_lost_ == WhenLost::keep_node;
    if (keeps_node) kept_ = ended; // the end of the lease would remove the node
    else lease_.reset();
    listeners_.tell({ec ? LeadershipChange::given_up : LeadershipChange::lost, ended});
    if (!keeps_node && takes_part()) enter();
}

// ---- the calls, as operations on the client's strand

asio::any_io_executor executor_of(const LatchCore& core) {
    return core.view()->executor();
}

void initiate_await_leadership(const std::shared_ptr<LatchCore>& core, CallOptions call, Handler<Leadership> handler) {
    const auto make = [&core](const auto&, Done<Leadership> done) {
        const auto listen = [core](Done<Leadership> leads) { return core->when_leading(std::move(leads)); };
        return std::make_shared<AwaitOperation<Leadership>>(listen, Awaited::turn, std::move(done));
    };
    launch<Leadership>(core->view(), {"await_leadership", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_resign(const std::shared_ptr<LatchCore>& core, CallOptions call, Handler<> handler) {
    auto work = [core](ClientView& through, std::function<void()> then) { core->resign(through, std::move(then)); };
    launch_made<GiveUpOperation>(core->view(), {"resign", core->path()}, std::move(call), std::move(handler), std::move(work),
                                 false);
}

void initiate_latch_close(const std::shared_ptr<LatchCore>& core, LatchClose how, CallOptions call, Handler<> handler) {
    auto work = [core, how](ClientView& through, std::function<void()> then) { core->close(how, through, std::move(then)); };
    launch_made<GiveUpOperation>(core->view(), {"latch_close", core->path()}, std::move(call), std::move(handler),
                                 std::move(work), true);
}

void initiate_participants(const std::shared_ptr<LatchCore>& core, CallOptions call,
                           Handler<std::vector<Participant>> handler) {
    core->read_participants(std::move(call), std::move(handler));
}

void initiate_leader(const std::shared_ptr<LatchCore>& core, CallOptions call, Handler<std::optional<Participant>> handler) {
    core->read_leader(std::move(call), std::move(handler));
}

} // namespace detail

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
    detail::require_path("leader latch", path);
    const auto& view = detail::Access::open_view(client, "leader latch");
    LockOptions of_lock{.node_data = options.id, .label = options.label, .max_hold = options.max_hold};
    auto terms = detail::lease_terms(*view, std::string(path), std::move(of_lock));
    core_ = std::make_shared<detail::LatchCore>(view, std::string(path), std::move(options), std::move(terms));
    candidacy_ = detail::post_at_end(view, [core = core_] { core->close(LatchClose::silently, *core->view(), [] {}); });
}

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
    detail::block_also_before_start<>(*core_->view(), std::move(call), ec, detail::initiate_resign, core_);
}

void LeaderLatch::resign(CallOptions call) {
    detail::throwing("resign at", path(), [&](error_code& ec) { resign(ec, std::move(call)); });
}

void LeaderLatch::close(LatchClose how, error_code& ec, CallOptions call) {
    detail::block_also_before_start<>(*core_->view(), std::move(call), ec, detail::initiate_latch_close, core_, how);
}

void LeaderLatch::close(LatchClose how, CallOptions call) {
    detail::throwing("close the leader latch", path(), [&](error_code& ec) { close(how, ec, std::move(call)); });
}

std::vector<Participant> LeaderLatch::participants(error_code& ec, CallOptions call) const {
    return core_->participants(std::move(call), ec);
}

std::vector<Participant> LeaderLatch::participants(CallOptions call) const {
    return core_->participants(std::move(call));
}

std::optional<Participant> LeaderLatch::leader(error_code& ec, CallOptions call) const {
    return core_->leader(std::move(call), ec);
}

std::optional<Participant> LeaderLatch::leader(CallOptions call) const {
    return core_->leader(std::move(call));
}

Subscription LeaderLatch::listen(std::function<void(const LeadershipEvent&)> listener, asio::any_io_executor executor) {
    return Subscription(detail::listen_for_user<LeadershipEvent>(
        core_->view(), [core = core_](auto each) { return core->listen(std::move(each)); }, std::move(listener), executor));
}

} // namespace docent
