// SPDX-License-Identifier: Apache-2.0
#pragma once

// Actors that set and remove a barrier, and actors that wait at it.

#include "barrier/barrier_core.hpp"
#include "fake_recipes/actor.hpp"

#include <docent/recipes/barrier/distributed_barrier.hpp>

#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

inline constexpr const char* gate_path = "/gate/barrier";

/// Sets and removes the barrier. In the end, it removes the barrier.
class GateKeeper final : public Actor {
public:
    GateKeeper(FakeWorld& world, std::size_t client, int turns) : Actor(world, client), turns_(turns) {}

    bool ready() const override { return !busy_ && !resting_ && turns_ > 0; }
    void act() override {
        --turns_;
        chance(0.6) ? call(&initiate_barrier_set, "sets") : call(&initiate_barrier_remove, "removes");
    }
    void calm_down() override {
        turns_ = 0;
        after(until_all_is_known, [this] { remove_at_last(); });
    }
    bool finished() const override { return done_; }

private:
    using Initiate = void (*)(const std::shared_ptr<BarrierCore>&, CallOptions, Handler<>);

    void call(Initiate initiate, const std::string& what) {
        busy_ = resting_ = true;
        tell(name + " " + what + " the barrier");
        initiate(core_, {}, once<>([this, initiate](error_code ec) { on_done(initiate, ec); }));
    }
    void on_done(Initiate initiate, error_code ec) {
        busy_ = false;
        if (!ec) ++achieved;
        const bool removed = initiate == &initiate_barrier_remove;
        if (last_ && (ec || !removed)) complain("the barrier could not be removed: " + ec.message());
        if (last_) done_ = true;
        else if (turns_ > 0) after(random_ms(500), [this] { resting_ = false; });
    }
    void remove_at_last() {
        if (busy_) return after(until_all_is_known, [this] { remove_at_last(); });
        last_ = true;
        call(&initiate_barrier_remove, "removes, for the last time,");
    }

    const std::shared_ptr<BarrierCore> core_ = std::make_shared<BarrierCore>(client_, gate_path);
    int turns_;
    bool busy_ = false;
    bool resting_ = false;
    bool last_ = false;
    bool done_ = false;
};

/// Waits at the barrier. It must not go on while the barrier exists that was there when it came.
class GateWaiter final : public Actor {
public:
    GateWaiter(FakeWorld& world, std::size_t client, int turns) : Actor(world, client), turns_(turns) {}

    bool ready() const override { return !waiting_ && turns_ > 0; }
    void act() override {
        --turns_;
        waiting_ = true;
        barrier_ = 0;
        opened_ = false;
        look();
        CallOptions call;
        if (chance(0.2)) call.timeout = random_ms(2000);
        tell(name + " waits");
        initiate_barrier_wait(core_, std::move(call), once<>([this](error_code ec) {
                                  tell(name + (ec ? " waits no longer: " + ec.message() : " goes on"));
                                  waiting_ = false;
                                  if (ec) return;
                                  ++achieved;
                                  if (!opened_) complain("it went on though the barrier was there all the time");
                              }));
    }
    void look() override {
        if (!waiting_ || opened_) return;
        const TreeNode* node = truth().find(gate_path);
        opened_ = !node || (barrier_ != 0 && barrier_ != node->stat.czxid);
        if (node) barrier_ = node->stat.czxid;
    }
    void calm_down() override { turns_ = 0; }
    bool finished() const override { return !waiting_ && turns_ == 0; }

private:
    const std::shared_ptr<BarrierCore> core_ = std::make_shared<BarrierCore>(client_, gate_path);
    int turns_;
    bool waiting_ = false;
    bool opened_ = false;
    std::int64_t barrier_ = 0;
};

} // namespace docent::detail
