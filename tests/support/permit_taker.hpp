// SPDX-License-Identifier: Apache-2.0
#pragma once

// Takes permits of a semaphore in a FakeWorld.

#include "fake_world.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <docent/recipes/lease.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// A limit that a test changes.
class FakeLimit final : public PermitLimit {
public:
    explicit FakeLimit(std::int32_t limit) : limit_(limit) {}

    std::int32_t now(error_code&) const override { return limit_; }
    bool is_fixed() const override { return false; }
    Registration follow(const ClientView&, std::function<void(std::int32_t)> listener) const override {
        auto registration = std::make_shared<std::function<void(std::int32_t)>>(std::move(listener));
        listeners_.push_back(registration);
        return registration;
    }
    std::ptrdiff_t followers() const {
        return std::count_if(listeners_.begin(), listeners_.end(), [](const auto& weak) { return !weak.expired(); });
    }
    void change(std::int32_t limit) {
        limit_ = limit;
        for (const auto& weak : std::vector(listeners_)) {
            if (const auto listener = weak.lock()) (*listener)(limit);
        }
    }

private:
    std::int32_t limit_;
    mutable std::vector<std::weak_ptr<std::function<void(std::int32_t)>>> listeners_;
};

/// The result of a request for permits.
struct TakenPermits {
    bool arrived = false;
    error_code ec = {};
    std::vector<Lease> leases = {};
    std::weak_ptr<Operation> operation = {}; // while it is under way
};
/// Asks for permits of the semaphore at `/s`.
inline std::shared_ptr<TakenPermits> take_permits(FakeWorld& world, std::size_t client,
                                                  std::shared_ptr<const PermitLimit> limit, std::int32_t count = 1,
                                                  AcquireWait wait = {}, LeaseTerms terms = {.node_data = "worker"}) {
    const auto view = world.share(client);
    const SemaphorePlace place{"/s", std::move(limit), std::move(terms), [view] { return view->boot_now(); }};
    const auto taken = std::make_shared<TakenPermits>();
    const auto operation =
        std::make_shared<SemaphoreOperation>(view, place, count, wait, [taken](error_code ec, std::vector<Lease> leases) {
            taken->arrived = true;
            taken->ec = ec;
            taken->leases = std::move(leases);
        });
    taken->operation = operation;
    operation->begin();
    return taken;
}

class PermitTaker final : public FakeActor {
public:
    /// Its behaviour in a turn.
    struct Habits {
        std::int32_t most = 1; // permits that it takes at once
        double gives_up = 0;   // chance that it cancels while it waits
        double hurries = 0;    // chance that it waits until a deadline only
        double tries = 0;      // chance that it does not wait at all
    };

    PermitTaker(FakeWorld& world, std::size_t client, const std::string& path, std::shared_ptr<const PermitLimit> limit,
                int turns, Habits habits)
        : world_(world), client_(world.share(client)), place_{path,
                                                              std::move(limit),
                                                              {"worker"},
                                                              [view = client_] { return view->boot_now(); }},
          turns_(turns), habits_(habits) {
        world.add(*this);
    }

    bool ready() const override { return turns_ > 0 && !waiting_ && leases_.empty(); }
    void act() override {
        auto& chance = world_.surroundings();
        --turns_;
        waiting_ = true;
        wanted_ = 1 + static_cast<std::int32_t>(chance.below(static_cast<std::size_t>(habits_.most)));
        AcquireWait wait;
        if (chance.chance(habits_.hurries)) wait = {AcquireWait::Kind::until, client_->now() + random_ms(2000)};
        else if (chance.chance(habits_.tries)) wait = {AcquireWait::Kind::not_at_all};
        const auto operation = std::make_shared<SemaphoreOperation>(
            client_, place_, wanted_, wait,
            [this](error_code ec, std::vector<Lease> leases) { on_done(ec, std::move(leases)); });
        operation_ = operation;
        operation->begin();
        if (waiting_ && chance.chance(habits_.gives_up)) {
            timer_ = client_->call_at(client_->now() + random_ms(500), [this] { cancel(); });
        }
    }
    void cancel() {
        if (const auto operation = operation_.lock()) operation->abort(boost::asio::error::operation_aborted);
    }
    void expire() {
        if (const auto operation = operation_.lock()) operation->abort(error::not_acquired);
    }

    bool finished() const { return turns_ == 0 && !waiting_ && leases_.empty() && operation_.expired(); }
    bool waiting() const { return waiting_; }
    /// Counts the permits that it certainly has, except permits that a fault has just taken.
    std::int32_t holds() const {
        return static_cast<std::int32_t>(std::count_if(leases_.begin(), leases_.end(), [&](const Lease& lease) {
            return lease.owns() && !world_.was_taken(lease.node_path());
        }));
    }
    const std::vector<Lease>& leases() const { return leases_; }
    void drop() { leases_.clear(); }

    std::vector<std::string> complaints;
    std::vector<error_code> failed;
    int granted = 0;
    bool releases = true; // it releases by itself, some time after the grant

private:
    std::chrono::milliseconds random_ms(std::size_t bound) {
        return std::chrono::milliseconds{world_.surroundings().below(bound)};
    }
    void on_done(error_code ec, std::vector<Lease> leases) {
        if (!std::exchange(waiting_, false)) complaints.emplace_back("completed twice");
        timer_.reset();
        if (ec && !leases.empty()) complaints.emplace_back("an error and leases");
        if (ec) return failed.push_back(ec);
        if (leases.size() != static_cast<std::size_t>(wanted_)) complaints.emplace_back("not as many as wanted");
        ++granted;
        leases_ = std::move(leases);
        if (releases) timer_ = client_->call_at(client_->now() + random_ms(30), [this] { drop(); });
    }

    FakeWorld& world_;
    std::shared_ptr<FakeClient> client_;
    const SemaphorePlace place_;
    int turns_;
    const Habits habits_;
    std::int32_t wanted_ = 0;
    bool waiting_ = false;
    std::vector<Lease> leases_;
    Registration timer_;
    std::weak_ptr<SemaphoreOperation> operation_;
};

} // namespace docent::detail
