// SPDX-License-Identifier: Apache-2.0
#pragma once

// An actor in a FakeWorld that uses a recipe in spite of all faults, and checks its promises.

#include "fake_world.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

class Actor : public FakeActor {
public:
    Actor(FakeWorld& world, std::size_t client) : world_(world), client_index_(client), client_(world.share(client)) {
        world.add(*this);
    }
    Actor(const Actor&) = delete;
    Actor& operator=(const Actor&) = delete;

    bool ready() const override { return false; }
    void act() override {}
    /// Checks the world after each step.
    virtual void look() {}
    /// There are no faults from now on: the actor comes to its end.
    virtual void calm_down() {}
    virtual bool finished() const = 0;

    std::vector<std::string> complaints;
    std::vector<error_code> failed;
    int achieved = 0; // number of successes
    std::function<void(const std::string&)> tell = [](const std::string&) {};
    std::string name = "somebody";

protected:
    /// Longer than it takes to notice all faults.
    static constexpr std::chrono::seconds until_all_is_known{10};

    void complain(const std::string& text) { complaints.push_back(name + ": " + text); }
    bool chance(double probability) { return world_.surroundings().chance(probability); }
    std::chrono::milliseconds random_ms(std::size_t bound) {
        return std::chrono::milliseconds{world_.surroundings().below(bound)};
    }
    const NodeTree& truth() const { return world_.surroundings().ensemble.truth(); }
    FakeEnsemble& ensemble() { return world_.surroundings().ensemble; }
    Registration later(std::chrono::milliseconds length, std::function<void()> next) {
        return client_->call_at(client_->now() + length, std::move(next));
    }
    void after(std::chrono::milliseconds length, std::function<void()> next) { timer_ = later(length, std::move(next)); }
    void forget_timer() { timer_.reset(); }
    /// Makes a handler for a call that must complete once.
    template <typename... Results> auto once(std::function<void(error_code)> next) {
        return [this, next = std::move(next), times = std::make_shared<int>(0)](error_code ec, const Results&...) {
            if (++*times > 1) return complain("a call was completed twice");
            if (ec) failed.push_back(ec);
            next(ec);
        };
    }

    FakeWorld& world_;
    const std::size_t client_index_;
    const std::shared_ptr<FakeClient> client_;

private:
    Registration timer_;
};

} // namespace docent::detail
