// SPDX-License-Identifier: Apache-2.0
#pragma once

// Members of a double barrier, and a check by the servers' nodes of when they may enter and leave.

#include "barrier/double_barrier_core.hpp"
#include "fake_recipes/actor.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

class BarrierMember;

/// Shared by all members of one barrier. It does not use the recipe's rules, because they are under test.
struct BarrierHall {
    static constexpr std::int64_t still = std::numeric_limits<std::int64_t>::max(); // a time that has not come yet
    /// A `ready` node that existed, by its czxid. The times are steps.
    struct Ready {
        std::int64_t until = still;
        std::int64_t lets_late_ones_in_until = -1; // an older member was there until then
    };

    BarrierHall(std::string at, std::size_t wanted_members) : path(std::move(at)), wanted(wanted_members) {}

    void look(const NodeTree& truth) {
        ++step;
        if (looked_at == truth.zxid()) return;
        looked_at = truth.zxid();
        const TreeNode* ready = truth.find(path + "/ready");
        std::size_t count = 0;
        std::int64_t oldest = still;
        for (const auto& name : truth.children(path)) {
            if (name == "ready") continue;
            const auto czxid = truth.find(join_path(path, name))->stat.czxid;
            made[join_path(path, name)] = czxid;
            oldest = std::min(oldest, czxid);
            ++count;
        }
        for (auto& [czxid, each] : readies) {
            const bool is_it = ready && ready->stat.czxid == czxid;
            if (!is_it && each.until == still) each.until = step;
            if ((!is_it || oldest > czxid) && each.lets_late_ones_in_until == still) each.lets_late_ones_in_until = step;
        }
        if (ready && !readies.contains(ready->stat.czxid)) {
            readies[ready->stat.czxid] = {still, oldest < ready->stat.czxid ? still : -1};
            if (last_full < since) complaint = "ready was made though " + std::to_string(wanted) + " were never there";
        }
        if (count >= wanted) last_full = step;
        if (count == 0) since = step; // earlier members do not count any more
    }
    /// Returns true if a member with this node, which began to enter at `begin`, was let in by a `ready` node since then.
    bool lets_in(const std::string& node, std::int64_t begin) const {
        const auto own = made.find(node);
        return own != made.end() && std::any_of(readies.begin(), readies.end(), [&](const auto& each) {
                   const auto& [czxid, ready] = each;
                   return ready.until >= begin && (own->second < czxid || ready.lets_late_ones_in_until >= begin);
               });
    }

    const std::string path;
    const std::size_t wanted;
    std::int64_t step = 0;
    std::int64_t looked_at = -1;
    std::int64_t last_full = 0;
    std::int64_t since = 1; // the last time without members
    std::map<std::int64_t, Ready> readies;
    std::map<std::string, std::int64_t> made; // czxids of members
    std::string complaint;
    std::vector<BarrierMember*> members;
};

/// Enters and leaves, again and again, and sometimes gives up. In the end, all members enter together, and leave together.
class BarrierMember final : public Actor {
public:
    struct Habits {
        double hurries = 0; // chance that a call has little time
        double gives_up = 0;
        double drops = 0; // destroys its object without leaving
    };

    BarrierMember(FakeWorld& world, std::size_t client, std::shared_ptr<BarrierHall> hall, int rounds, Habits habits)
        : Actor(world, client), hall_(std::move(hall)), rounds_(rounds), habits_(habits) {
        hall_->members.push_back(this);
    }

    bool ready() const override { return place_ == Place::outside && rounds_ > 0 && !calm_; }
    void act() override {
        --rounds_;
        enter();
    }
    void look() override {
        if (hall_->members.front() == this) hall_->look(truth());
        if (!hall_->complaint.empty()) complain(std::exchange(hall_->complaint, {}));
    }
    void calm_down() override {
        calm_ = true;
        if (place_ == Place::inside) leave({});
        else stop_.request_stop();
        after(until_all_is_known, [this] { begin_last_round(); });
    }
    bool finished() const override { return done_ || (!calm_ && rounds_ == 0 && place_ == Place::outside); }

private:
    enum class Place { outside, entering, inside, leaving };

    bool has_node() const { return truth().find(node_) != nullptr; }
    CallOptions some_call() {
        stop_ = {};
        CallOptions call{.stop = stop_.get_token()};
        if (chance(habits_.hurries)) call.timeout = random_ms(2000);
        else if (chance(habits_.gives_up)) after(random_ms(1000), [this] { stop_.request_stop(); });
        return call;
    }
    void enter() { enter(some_call()); }
    void enter(CallOptions call) {
        if (!core_) core_ = std::make_shared<DoubleBarrierCore>(client_, hall_->path, hall_->wanted);
        place_ = Place::entering;
        begun_ = hall_->step;
        tell(name + " enters");
        initiate_barrier_enter(core_, std::move(call), once<>([this](error_code ec) { on_entered(ec); }));
    }
    void on_entered(error_code ec) {
        tell(name + (ec ? " does not enter: " + ec.message() : " is inside"));
        place_ = ec ? Place::outside : Place::inside;
        if (ec && last_) complain("it could not enter for the last time: " + ec.message());
        if (ec) return;
        ++stay_;
        ++achieved;
        node_ = core_->own_path;
        if (!hall_->lets_in(node_, begun_)) complain("it went in though nobody had let it in");
        if (last_) return leave_when_all_are_in();
        if (calm_) return leave({});
        after(random_ms(chance(0.1) ? 6000 : 50), [this] {
            if (place_ == Place::inside && !calm_) chance(habits_.drops) ? drop() : leave(some_call());
        });
    }
    void drop() {
        tell(name + " destroys its barrier");
        core_.reset();
        place_ = Place::outside;
    }
    void leave(CallOptions call) {
        place_ = Place::leaving;
        awaited_.clear();
        for (auto* other : hall_->members) {
            if (other != this && other->place_ == Place::inside && other->has_node())
                awaited_.emplace_back(other, other->stay_);
        }
        tell(name + " leaves");
        initiate_barrier_leave(core_, std::move(call), once<>([this](error_code ec) { on_left(ec); }));
    }
    void on_left(error_code ec) {
        tell(name + (ec ? " has left: " + ec.message() : " has left"));
        place_ = Place::outside;
        if (last_ && ec) complain("it could not leave for the last time: " + ec.message());
        if (!ec) {
            for (const auto& [other, stay] : awaited_) {
                const bool is_inside = other->place_ == Place::inside && other->stay_ == stay && other->has_node();
                if (is_inside) complain("it has left while " + other->name + " was inside");
            }
        }
        if (last_ && !ec) done_ = true;
    }

    // ---- the end
    void begin_last_round() {
        const auto& all = hall_->members;
        const bool out = std::all_of(all.begin(), all.end(),
                                     [](auto* each) { return each->last_ || (each->calm_ && each->place_ == Place::outside); });
        if (!out) return after(std::chrono::seconds{1}, [this] { begin_last_round(); });
        last_ = true;
        enter({});
    }
    void leave_when_all_are_in() {
        const auto& all = hall_->members;
        const bool in =
            std::all_of(all.begin(), all.end(), [](auto* each) { return each->last_ && each->place_ == Place::inside; });
        if (!in) return;
        for (auto* each : all) each->leave({});
    }

    const std::shared_ptr<BarrierHall> hall_;
    int rounds_;
    const Habits habits_;
    std::shared_ptr<DoubleBarrierCore> core_;
    Place place_ = Place::outside;
    std::int64_t begun_ = 0; // the step at which it began to enter
    std::string node_;
    int stay_ = 0;
    std::vector<std::pair<BarrierMember*, int>> awaited_;
    std::stop_source stop_;
    bool calm_ = false;
    bool last_ = false;
    bool done_ = false;
};

} // namespace docent::detail
