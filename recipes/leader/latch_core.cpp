// SPDX-License-Identifier: Apache-2.0
#include "leader/latch_core.hpp"

#include "client/core/access.hpp"

#include <utility>

namespace docent::detail {
namespace {

template <typename Function, typename... Arguments>
void call_alive(const std::vector<std::weak_ptr<Function>>& functions, const Arguments&... arguments) {
    for (const auto& weak : functions) {
        if (const auto function = weak.lock()) (*function)(arguments...);
    }
}

template <typename Function> Registration add_to(std::vector<std::weak_ptr<Function>>& functions, Function function) {
    std::erase_if(functions, [](const auto& weak) { return weak.expired(); });
    auto registration = std::make_shared<Function>(std::move(function));
    functions.push_back(registration);
    return registration;
}

} // namespace

LatchCore::LatchCore(std::shared_ptr<ClientView> view, std::string path, LatchOptions options, LeaseTerms terms,
                     BootNow boot_now)
    : Candidate(std::move(view), {std::move(path), latch_names(), latch_token.text, Deletion::admits, std::move(terms)},
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
    return add_to(waiting_, std::move(waiter));
}

Registration LatchCore::listen(Listener listener) {
    return add_to(listeners_, std::move(listener));
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
    answer(error::closed, nullptr);
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
    tell({LeadershipChange::not_entered, nullptr, ec});
    answer(ec, nullptr);
}

void LatchCore::on_granted(GrantedNode node) {
    const auto leads = begin_leadership(std::move(node));
    lease_ = Access::core(*leads);
    if (when_lost_ == WhenLost::keep_node) lease_->keep_node_when_lost();
    tell({LeadershipChange::gained, leads});
    answer({}, leads);
    const auto lease = lease_;
    over_ = lease->when_over([weak = weak_from_this(), this](error_code ec) {
        if (const auto self = weak.lock()) on_over(ec);
    });
}

void LatchCore::on_over(error_code ec) {
    over_.reset();
    const Leadership ended = end_leadership();
    const bool keeps_node = !ec && when_lost_ == WhenLost::keep_node;
    if (keeps_node) kept_ = ended; // the end of the lease would remove the node
    else lease_.reset();
    tell({ec ? LeadershipChange::given_up : LeadershipChange::lost, ended});
    if (!keeps_node && takes_part()) enter();
}

void LatchCore::tell(const LeadershipEvent& event) {
    call_alive(std::vector(listeners_), event);
}

void LatchCore::answer(error_code ec, const Leadership& leadership) {
    call_alive(std::exchange(waiting_, {}), ec, leadership);
}

} // namespace docent::detail
