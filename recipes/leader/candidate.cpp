// SPDX-License-Identifier: Apache-2.0
#include "leader/candidate.hpp"

#include "base/while_alive.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "inspection/inspection.hpp"
#include "lease/node_lease.hpp"

#include <boost/asio/error.hpp>

#include <chrono>
#include <utility>

namespace docent::detail {
namespace {

/// The pause before the next attempt to enter. The obstacle is usually an ACL or an outage, which lasts.
constexpr std::chrono::seconds enters_again_after{1};

/// Reads the participants of this recipe at `path`. `pick` makes the handler's result.
template <typename Result, typename Pick>
void read_election(const std::shared_ptr<ClientView>& view, const std::string& path, RecipeKind recipe, const char* name,
                   CallOptions call, Handler<Result> handler, Pick pick) {
    const auto make = [&](const std::shared_ptr<ClientView>& observed, Done<Result> done) {
        return make_inspection(
            observed, path, nullptr, [done = std::move(done), pick, recipe](error_code ec, Inspection found) {
                if (ec == server_error::no_node) ec = {}; // no participant has entered yet
                std::erase_if(found.participants, [recipe](const Participant& each) { return each.recipe != recipe; });
                for (const Participant& each : found.participants) {
                    if (!each.readable) ec = server_error::no_auth; // its id is unknown
                }
                done(ec, pick(std::move(found.participants)));
            });
    };
    launch<Result>(view, {name, path}, std::move(call), std::move(handler), make);
}

} // namespace

Candidate::Candidate(std::shared_ptr<ClientView> view, Election election, QueuePlace place, std::string id, BootNow boot_now)
    : view_(std::move(view)), election_(election), place_(std::move(place)), id_(std::move(id)),
      boot_now_(std::move(boot_now)) {}

// ---- from any thread

Leadership Candidate::leadership() const noexcept {
    if (!view_->is_here()) return nullptr;
    Leadership leadership;
    {
        const std::lock_guard lock(mutex_);
        leadership = leadership_;
    }
    return leadership && leadership->owns() ? leadership : nullptr;
}

error_code Candidate::start() {
    if (!view_->is_here()) return error::other_process;
    auto state = LatchState::latent;
    if (state_.compare_exchange_strong(state, LatchState::started)) {
        view_->post([self = shared_from_this()] {
            if (self->takes_part()) self->on_started();
        });
    }
    return state == LatchState::closed ? make_error_code(error::closed) : error_code{};
}

void Candidate::read_participants(CallOptions call, Handler<std::vector<Participant>> handler) const {
    read_election(view_, path(), election_.recipe, election_.participants_call, std::move(call), std::move(handler),
                  [](std::vector<Participant> all) { return all; });
}

void Candidate::read_leader(CallOptions call, Handler<std::optional<Participant>> handler) const {
    read_election(view_, path(), election_.recipe, election_.leader_call, std::move(call), std::move(handler),
                  [](std::vector<Participant> all) -> std::optional<Participant> {
                      if (all.empty()) return std::nullopt;
                      return std::move(all.front());
                  });
}

std::vector<Participant> Candidate::participants(CallOptions call, error_code& ec) const {
    return block_on<std::vector<Participant>>(*view_, std::move(call), ec, [this](CallOptions options, auto handler) {
        read_participants(std::move(options), std::move(handler));
    });
}

std::vector<Participant> Candidate::participants(CallOptions call) const {
    return throwing("read the participants at", path(), [&](error_code& ec) { return participants(std::move(call), ec); });
}

std::optional<Participant> Candidate::leader(CallOptions call, error_code& ec) const {
    return block_on<std::optional<Participant>>(*view_, std::move(call), ec, [this](CallOptions options, auto handler) {
        read_leader(std::move(options), std::move(handler));
    });
}

std::optional<Participant> Candidate::leader(CallOptions call) const {
    return throwing("read the leader at", path(), [&](error_code& ec) { return leader(std::move(call), ec); });
}

// ---- on the strand

void Candidate::enter() {
    const auto last = std::exchange(pause_, nullptr); // the function of the timer may be the caller
    span_ = LeaseSpan::begin(view_, LeaseKind::leadership, place_->path, place_->terms, boot_now_);
    const auto attempt = std::make_shared<AcquireDriver>(
        view_, place_, AcquireWait{},
        [self = shared_from_this()](error_code ec, GrantedNode node) { self->on_attempt(ec, std::move(node)); }, boot_now_);
    attempt_ = attempt;
    attempt->start();
}

void Candidate::enter_later() {
    const auto enter_again = [this] {
        if (takes_part()) enter();
    };
    pause_ = view_->call_after(enters_again_after, while_alive(weak_from_this(), enter_again));
}

void Candidate::end() {
    state_ = LatchState::closed;
    pause_.reset();
}

void Candidate::withdraw() {
    if (const auto attempt = attempt_) attempt->end(asio::error::operation_aborted);
}

void Candidate::on_attempt(error_code ec, GrantedNode node) {
    attempt_.reset();
    if (ec || state() == LatchState::closed)
        conclude(std::exchange(span_, nullptr), ec ? ec : make_error_code(error::closed), nullptr);
    if (state() == LatchState::closed) return;
    if (!ec) return on_granted(std::move(node));
    if (ec == error::closed) return on_client_closed();
    if (ec == error::lock_node_deleted) return enter();
    on_hindered(ec);
    if (takes_part()) enter_later();
}

Leadership Candidate::begin_leadership(GrantedNode node) {
    auto lease = NodeLease::make(view_, std::move(node), boot_now_);
    lease->watch_at_once();
    conclude(std::exchange(span_, nullptr), {}, lease.get());
    auto leadership = std::make_shared<const Lease>(std::move(lease));
    const std::lock_guard lock(mutex_);
    leadership_ = leadership;
    return leadership;
}

Leadership Candidate::end_leadership() {
    Leadership ended;
    const std::lock_guard lock(mutex_);
    ended.swap(leadership_);
    return ended;
}

} // namespace docent::detail
