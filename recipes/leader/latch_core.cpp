// SPDX-License-Identifier: Apache-2.0
#include "leader/latch_core.hpp"

#include <chrono>
#include <utility>

namespace docent::detail {
namespace {

/// What keeps a latch from entering takes people to change, or a network that comes back.
constexpr std::chrono::seconds enters_again_after{1};

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

LatchCore::LatchCore(std::shared_ptr<ClientView> view, std::string path, LatchOptions options, std::string node_data,
                     BootNow boot_now)
    : view_(std::move(view)), path_(std::move(path)), options_(std::move(options)), node_data_(std::move(node_data)),
      boot_now_(std::move(boot_now)) {}

// ---- from any thread

Leadership LatchCore::leadership() const noexcept {
    Leadership leadership;
    {
        const std::lock_guard lock(mutex_);
        leadership = leadership_;
    }
    return leadership && leadership->owns() ? leadership : nullptr;
}

error_code LatchCore::start() {
    auto state = LatchState::latent;
    if (state_.compare_exchange_strong(state, LatchState::started)) {
        view_->post([self = shared_from_this()] {
            if (self->state() == LatchState::started) self->enter();
        });
    }
    return state == LatchState::closed ? make_error_code(error::closed) : error_code{};
}

// ---- on the strand

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
    give_up(through, std::move(done)); // on_over() enters again, behind the removal
    if (forget_kept() && state() == LatchState::started) enter();
}

void LatchCore::close(LatchClose how, ClientView& through, std::function<void()> done) {
    if (state() == LatchState::closed) return done();
    if (how == LatchClose::silently) listeners_.clear();
    end();
    if (const auto attempt = attempt_) attempt->cancel();
    give_up(through, std::move(done));
    forget_kept();
}

/// It takes no part any more, but for what it still has.
void LatchCore::end() {
    state_.store(LatchState::closed, std::memory_order_release);
    pause_.reset();
    answer(error::closed, nullptr);
}

void LatchCore::give_up(ClientView& through, std::function<void()> done) {
    const auto lease = lease_;
    if (!lease) return done();
    lease->release(through, [done = std::move(done)](error_code) { done(); });
}

/// Whether there was a lost lead whose node was kept, until give_up().
bool LatchCore::forget_kept() {
    if (!std::exchange(kept_, nullptr)) return false;
    lease_.reset();
    return true;
}

void LatchCore::enter() {
    QueuePlace place{path_, latch_names(), latch_token.text, Deletion::admits, node_data_};
    const auto attempt = std::make_shared<AcquireDriver>(
        view_, std::move(place), AcquireWait{},
        [self = shared_from_this()](error_code ec, GrantedNode node) { self->on_attempt(ec, std::move(node)); }, boot_now_);
    attempt_ = attempt;
    attempt->start();
}

void LatchCore::on_attempt(error_code ec, GrantedNode node) {
    attempt_.reset();
    if (state() == LatchState::closed) return;
    if (!ec) return lead(std::move(node));
    if (ec == error::closed) return end(); // the client
    if (ec == error::lock_node_deleted) return enter();
    tell({LeadershipChange::not_entered, nullptr, ec});
    answer(ec, nullptr);
    pause_ = view_->call_after(enters_again_after, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && self->state() == LatchState::started) self->enter();
    });
}

void LatchCore::lead(GrantedNode node) {
    lease_ = LeaseCore::make(view_, std::move(node), boot_now_);
    if (options_.when_lost == WhenLost::keep_node) lease_->keep_node_when_lost();
    const auto leadership = std::make_shared<const Lease>(lease_);
    {
        const std::lock_guard lock(mutex_);
        leadership_ = leadership;
    }
    tell({LeadershipChange::gained, leadership});
    answer({}, leadership);
    const auto lease = lease_;
    over_ = lease->when_over([weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock()) self->on_over(ec);
    });
}

void LatchCore::on_over(error_code ec) {
    over_.reset();
    Leadership ended;
    {
        const std::lock_guard lock(mutex_);
        ended.swap(leadership_);
    }
    const bool keeps_node = !ec && options_.when_lost == WhenLost::keep_node;
    if (keeps_node) kept_ = ended; // its end would remove the node
    else lease_.reset();
    tell({ec ? LeadershipChange::given_up : LeadershipChange::lost, ended});
    if (!keeps_node && state() == LatchState::started) enter();
}

void LatchCore::tell(const LeadershipEvent& event) {
    call_alive(std::vector(listeners_), event);
}

void LatchCore::answer(error_code ec, const Leadership& leadership) {
    call_alive(std::exchange(waiting_, {}), ec, leadership);
}

} // namespace docent::detail
