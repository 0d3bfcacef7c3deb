// SPDX-License-Identifier: Apache-2.0

#include "leader/latch_core.hpp"
#include "base/while_alive.hpp"
#include "client/core/access.hpp"
#include "client/core/launch.hpp"
#include "leader/election_inspection.hpp"

#include <utility>

namespace docent::detail {
LatchCore::LatchCore(std::shared_ptr<ClientView> view, std::string path, LatchOptions options, LeaseTerms terms,
                     BootNow boot_now)
    : Candidate(std::move(view), {std::move(path), latch_names(), latch_token, Deletion::admits, std::move(terms)},
                std::move(options.id), std::move(boot_now)),
      when_lost_(options.when_lost) {}

Registration LatchCore::when_leading(Waiter waiter) {
    if (const auto leads = leadership()) {
        waiter({}, leads);
        return nullptr;
    }
    if (const error_code ec = start()) {
        waiter(ec, nullptr);
        return nullptr;
    }
    return waiting_.add(std::move(waiter));
}

Registration LatchCore::listen(Listener listener) {
    return listeners_.add(std::move(listener));
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

/// Leaves the election, but keeps the present lead.
void LatchCore::on_client_closed() {
    end();
    waiting_.answer(error::closed, nullptr);
}

void LatchCore::give_up(ClientView& through, std::function<void()> done) {
    const auto lease = lease_;
    if (!lease) return done();
    lease->release(through, [done = std::move(done)](error_code) { done(); });
}

/// Forgets a lost lead whose node was kept for give_up(). Returns whether there was one.
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
    const auto leads = begin_leadership(std::move(node));
    lease_ = Access::core(*leads);
    if (when_lost_ == WhenLost::keep_node) lease_->keep_node_when_lost();
    listeners_.tell({LeadershipChange::gained, leads});
    waiting_.answer({}, leads);
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

// The calls of a latch, as operations on the client's strand.

namespace {

class AwaitLeadershipOperation final : public Operation {
public:
    AwaitLeadershipOperation(std::shared_ptr<LatchCore> core, Done<Leadership> done)
        : core_(std::move(core)), done_(std::move(done)) {}

    void begin() override {
        registration_ = core_->when_leading(
            [self = shared_from_this(), this](error_code ec, Leadership leadership) { finish(ec, std::move(leadership)); });
        if (!done_) registration_.reset(); // completed already
    }
    void abort(error_code ec) override { finish(ec, nullptr); }
    Awaited awaited() const override { return Awaited::turn; }

private:
    void finish(error_code ec, Leadership leadership) {
        const auto last = std::exchange(registration_, nullptr); // may own this object
        if (done_) std::exchange(done_, nullptr)(ec, std::move(leadership));
    }

    std::shared_ptr<LatchCore> core_;
    Done<Leadership> done_;
    Registration registration_;
};

} // namespace

asio::any_io_executor executor_of(const LatchCore& core) {
    return core.view()->executor();
}

void initiate_await_leadership(const std::shared_ptr<LatchCore>& core, CallOptions call, Handler<Leadership> handler) {
    const auto make = [&core](const auto&, Done<Leadership> done) {
        return std::make_shared<AwaitLeadershipOperation>(core, std::move(done));
    };
    launch<Leadership>(core->view(), {"await_leadership", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_resign(const std::shared_ptr<LatchCore>& core, CallOptions call, Handler<> handler) {
    const auto make = [&core](const auto& view, Done<> done) {
        auto work = [core](ClientView& through, std::function<void()> then) { core->resign(through, std::move(then)); };
        return std::make_shared<GiveUpOperation>(view, std::move(work), false, std::move(done));
    };
    launch<>(core->view(), {"resign", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_latch_close(const std::shared_ptr<LatchCore>& core, LatchClose how, CallOptions call, Handler<> handler) {
    const auto make = [&core, how](const auto& view, Done<> done) {
        auto work = [core, how](ClientView& through, std::function<void()> then) {
            core->close(how, through, std::move(then));
        };
        return std::make_shared<GiveUpOperation>(view, std::move(work), true, std::move(done));
    };
    launch<>(core->view(), {"latch_close", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_participants(const std::shared_ptr<LatchCore>& core, CallOptions call,
                           Handler<std::vector<Participant>> handler) {
    inspect_election({*core, RecipeKind::leader_latch, "latch_participants"}, std::move(call), std::move(handler), &all_of);
}

void initiate_leader(const std::shared_ptr<LatchCore>& core, CallOptions call, Handler<std::optional<Participant>> handler) {
    inspect_election({*core, RecipeKind::leader_latch, "latch_leader"}, std::move(call), std::move(handler), &first_of);
}

} // namespace docent::detail
