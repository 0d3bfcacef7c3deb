// SPDX-License-Identifier: Apache-2.0
#pragma once

// Acquires several locks of a FakeWorld at once, again and again, and checks the promises of the multi-lock.

#include "fake_multi_lock.hpp"
#include "lease/lease_core.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::detail {

class MultiContestant final : public FakeActor {
public:
    /// Chances in a turn.
    struct Habits {
        double gives_up = 0; // it cancels while it waits
        double hurries = 0;  // it waits until a deadline only
        double tries = 0;    // it does not wait at all
        double lingers = 0;  // it holds longer than a session can be silent
    };

    MultiContestant(FakeWorld& world, std::size_t client, const std::vector<std::string>& paths, int turns, Habits habits)
        : world_(world), client_(world.share(client)), core_(fake_multi_lock(world, client, paths)), turns_(turns),
          habits_(habits) {
        world.add(*this);
    }

    bool ready() const override { return turns_ > 0 && !waiting_ && !lease_; }
    void act() override {
        auto& chance = world_.surroundings();
        --turns_;
        waiting_ = true;
        AcquireWait wait;
        if (chance.chance(habits_.hurries)) wait = {AcquireWait::Kind::until, client_->now() + random_ms(2000)};
        else if (chance.chance(habits_.tries)) wait = {AcquireWait::Kind::not_at_all};
        stop_.emplace();
        initiate_acquire(core_, wait, {.stop = stop_->get_token()},
                         [this](error_code ec, MultiLease lease) { on_done(ec, std::move(lease)); });
        if (chance.chance(habits_.gives_up)) timer_ = client_->call_at(client_->now() + random_ms(500), [this] { cancel(); });
    }
    void cancel() {
        if (stop_) stop_->request_stop();
    }

    bool finished() const { return turns_ == 0 && !waiting_ && !lease_; }
    bool waiting() const { return waiting_; }

    /// Each node that it owns must be the first in its queue, unless a fault has just removed the node.
    void check_exclusion() {
        if (!lease_.owns()) return;
        for (std::size_t i = 0; i < lease_.leases().size(); ++i) {
            const auto path = lease_.leases()[i].node_path();
            const auto first = world_.first(core_->listed()[i]->path());
            if (!world_.was_taken(path) && first != path) complaints.push_back(path + " is owned, first is " + first);
        }
    }

    std::vector<std::string> complaints;
    std::vector<error_code> failed;
    int granted = 0;

private:
    std::chrono::milliseconds random_ms(std::size_t bound) {
        return std::chrono::milliseconds{world_.surroundings().below(bound)};
    }

    void on_done(error_code ec, MultiLease lease) {
        if (!waiting_) complaints.emplace_back("completed twice");
        waiting_ = false;
        timer_.reset();
        stop_.reset();
        if (ec) {
            if (lease) complaints.emplace_back("an error and a lease");
            failed.push_back(ec);
            return;
        }
        ++granted;
        lease_ = std::move(lease);
        const auto length = random_ms(world_.surroundings().chance(habits_.lingers) ? 10'000 : 30);
        timer_ = client_->call_at(client_->now() + length, [this] { lease_ = MultiLease{}; });
    }

    FakeWorld& world_;
    std::shared_ptr<FakeClient> client_;
    const std::shared_ptr<MultiCore> core_;
    int turns_;
    const Habits habits_;
    bool waiting_ = false;
    std::optional<std::stop_source> stop_;
    MultiLease lease_;
    Registration timer_;
};

} // namespace docent::detail
