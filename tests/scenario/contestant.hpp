// SPDX-License-Identifier: Apache-2.0
#pragma once

// Acquires a mutex in a FakeWorld again and again, and checks the promises of the mutex.

#include "fake_recipes/actor.hpp"
#include "lease/node_lease.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/recipes/lease.hpp>

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {

class Contestant final : public Actor {
public:
    /// Habits in a turn.
    struct Habits {
        double gives_up = 0; // chance that it cancels while it waits
        double hurries = 0;  // chance that it waits until a deadline only
        double tries = 0;    // chance that it does not wait at all
        double lingers = 0;  // chance that it holds for longer than a session can be silent
    };

    Contestant(FakeWorld& world, std::size_t client, std::string path, int turns, Habits habits)
        : Actor(world, client), path_(std::move(path)), turns_(turns), habits_(habits) {}

    bool ready() const override { return turns_ > 0 && !waiting_ && !lease_; }
    void act() override {
        --turns_;
        waiting_ = true;
        AcquireWait wait;
        if (chance(habits_.hurries)) wait = {AcquireWait::Kind::until, client_->now() + random_ms(2000)};
        else if (chance(habits_.tries)) wait = {AcquireWait::Kind::not_at_all};
        const auto driver = std::make_shared<AcquireDriver>(
            client_, QueuePlace{path_, mutex_names(), lock_token, Deletion::admits, {}}, wait,
            [this](error_code ec, GrantedNode node) { on_done(ec, std::move(node)); }, boot_now());
        driver_ = driver;
        driver->start();
        if (waiting_ && chance(habits_.gives_up)) {
            timer_ = later(random_ms(500), [this] { cancel(); });
        }
    }

    bool finished() const override { return turns_ == 0 && !waiting_ && !lease_ && driver_.expired(); }

    /// A node that it owns must be the first in the queue, unless a fault has just removed the node.
    void check_exclusion() {
        if (!lease_ || !lease_.owns() || world_.was_taken(lease_.node_path())) return;
        if (world_.first() != lease_.node_path()) complain(lease_.node_path() + " is owned, first is " + world_.first());
    }

    std::vector<std::int64_t> granted; // czxids
    std::function<void(std::int64_t)> on_grant = [](std::int64_t) {};

private:
    void cancel() {
        if (const auto driver = driver_.lock()) driver->end(boost::asio::error::operation_aborted);
    }
    BootNow boot_now() const {
        return [client = client_] { return client->boot_now(); };
    }

    void on_done(error_code ec, GrantedNode node) {
        if (!waiting_) complain("completed twice");
        waiting_ = false;
        timer_.reset();
        if (ec) {
            if (!node.path.empty()) complain("an error and a node");
            failed.push_back(ec);
            return;
        }
        if (!world_.was_ever_first(node.path)) complain(node.path + " was granted, but never first");
        granted.push_back(node.czxid);
        on_grant(node.czxid);
        lease_ = Lease(NodeLease::make(client_, std::move(node), boot_now()));
        const auto length = random_ms(chance(habits_.lingers) ? 10'000 : 30);
        timer_ = later(length, [this] { lease_ = Lease{}; });
    }

    const std::string path_;
    int turns_;
    const Habits habits_;
    bool waiting_ = false;
    Lease lease_;
    Registration timer_;
    std::weak_ptr<AcquireDriver> driver_;
};

} // namespace docent::detail
