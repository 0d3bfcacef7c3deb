// SPDX-License-Identifier: Apache-2.0
#pragma once

// Adds ones to a DistributedAtomicLong in a FakeWorld, and records the results.

#include "atomic/atomic_core.hpp"
#include "fake_world.hpp"
#include "shared/number_bytes.hpp"

#include <docent/recipes/distributed_atomic_long.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

inline constexpr const char* counter_path = "/count";
inline constexpr const char* counter_lock = "/count-lock";
inline constexpr const char* counter_markers = "/docent/atomics";

class Incrementer final : public FakeActor {
public:
    struct Habits {
        double hurries = 0; // chance that a call has little time
        double renews = 0;  // chance that the next call uses another object
        bool promotes = false;
        bool sweeps = false; // removes the markers of others, as if they were old
    };

    Incrementer(FakeWorld& world, std::size_t client, int times, Habits habits)
        : world_(world), client_(client), left_(times), habits_(habits) {
        world.add(*this);
    }

    bool ready() const override { return !busy_ && (left_ > 0 || core_); }
    void act() override {
        auto& chance = world_.surroundings();
        if (core_ && (left_ == 0 || chance.chance(habits_.renews))) {
            core_->view()->post([core = std::exchange(core_, nullptr)] { core->stop(); });
        }
        if (left_ == 0) return;
        if (!core_) core_ = make_core();
        --left_;
        busy_ = true;
        CallOptions call;
        if (chance.chance(habits_.hurries)) call.timeout = std::chrono::milliseconds{chance.below(300)};
        initiate_number_add(core_, 1, std::move(call), [this](error_code ec, const AtomicNumber& result) {
            busy_ = false;
            on_done(ec, result);
        });
    }

    bool finished() const { return !busy_ && left_ == 0 && !core_; }

    std::vector<std::string> complaints;
    std::vector<error_code> failed;
    std::vector<std::int64_t> reached; // by successful additions
    int given_up = 0;
    int in_doubt = 0;
    int recovered = 0;
    int promoted = 0;

private:
    std::shared_ptr<AtomicCore> make_core() const {
        AtomicOptions options{.retry = RetryPolicy::n_times(habits_.promotes ? 1 : 40, std::chrono::milliseconds{1})};
        if (habits_.promotes) options.promoted = PromotedToLock{counter_lock, RetryPolicy::n_times(20, {})};
        return std::make_shared<AtomicCore>(
            world_.share(client_), counter_path, std::move(options),
            [view = world_.share(client_)] { return view->boot_now(); }, std::chrono::hours{habits_.sweeps ? 0 : 24});
    }
    void on_done(error_code ec, const AtomicNumber& result) {
        recovered += result.stats.recovered ? 1 : 0;
        promoted += result.stats.promoted_tries > 0 ? 1 : 0;
        if (ec) failed.push_back(ec);
        if (ec == condition::outcome_unknown) ++in_doubt;
        else if (!result.succeeded) ++given_up;
        else reached.push_back(result.after);
        if (!ec && result.succeeded && result.after != result.before + 1) complaints.push_back("not one more");
    }

    FakeWorld& world_;
    const std::size_t client_;
    int left_;
    const Habits habits_;
    bool busy_ = false;
    std::shared_ptr<AtomicCore> core_;
};

/// Adds ones as a Java client does, which reads and writes before any other client acts.
class Neighbour final : public FakeActor {
public:
    Neighbour(FakeWorld& world, int times) : world_(world), left_(times) { world.add(*this); }

    bool ready() const override { return left_ > 0 && node() != nullptr; }
    void act() override {
        error_code ec;
        reached.push_back(decode_number(node()->data, ec) + 1);
        world_.surroundings().ensemble.change_node(counter_path, encode_number(reached.back()));
        --left_;
    }

    std::vector<std::int64_t> reached;

private:
    const FakeNode* node() const { return world_.surroundings().ensemble.truth().find(counter_path); }

    FakeWorld& world_;
    int left_;
};

} // namespace docent::detail
