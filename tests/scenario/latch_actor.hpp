// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands for election with a LeaderLatch in a FakeWorld, and checks the promises of the latch.

#include "fake_recipes/fake_latch.hpp"

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {

class LatchActor final : public FakeActor {
public:
    /// Chances in a term.
    struct Habits {
        double lingers = 0; // it leads longer than a session can be silent
        double leaves = 0;  // it closes its latch at some time, leading or not, and opens another one
    };

    /// `terms`: how often it leads before it ends.
    LatchActor(FakeWorld& world, std::size_t client, int terms, Habits habits)
        : world_(world), client_(client), terms_(terms), habits_(habits) {
        world.add(*this);
    }

    bool ready() const override { return !latch_ && terms_ > 0; }
    void act() override {
        latch_ = make_fake_latch(world_, client_, "candidate");
        listening_ = latch_->listen([this](const LeadershipEvent& event) { on_event(event); });
        static_cast<void>(latch_->start());
        if (!world_.surroundings().chance(habits_.leaves)) return;
        leaving_ = later(random_ms(2000), [this] { leave(); });
    }

    void leave() {
        if (const auto latch = std::exchange(latch_, nullptr)) latch->close(LatchClose::silently, *latch->view(), [] {});
        listening_.reset();
        leaving_.reset();
        leading_.reset();
        led_ = false;
    }
    /// Leaves at once, and does not return.
    void give_up() {
        terms_ = 0;
        leave();
    }

    bool finished() const { return !latch_ && terms_ == 0; }

    /// While the latch says that it leads, its node must be the first in the queue, unless a fault has just removed the node.
    void check_exclusion() {
        const auto leadership = latch_ ? latch_->leadership() : nullptr;
        if (!leadership || world_.was_taken(leadership->node_path())) return;
        if (world_.first() != leadership->node_path()) complain("leads by " + leadership->node_path());
    }

    std::vector<std::string> complaints;
    std::vector<error_code> failed;
    std::vector<std::int64_t> tokens;
    std::function<void(std::int64_t)> on_lead = [](std::int64_t) {};

private:
    std::chrono::milliseconds random_ms(std::size_t bound) {
        return std::chrono::milliseconds{world_.surroundings().below(bound)};
    }
    void complain(const std::string& text) { complaints.push_back(text + ", first is " + world_.first()); }
    Registration later(std::chrono::milliseconds length, std::function<void()> function) {
        return world_.client(client_).call_at(world_.client(client_).now() + length, std::move(function));
    }

    void on_event(const LeadershipEvent& event) {
        const bool leads = event.change == LeadershipChange::gained;
        if (event.change == LeadershipChange::not_entered) return failed.push_back(event.reason);
        if (leads == led_) complain("two events of the same kind");
        led_ = leads;
        if (leads) return begin_term(event.leadership);
        leading_.reset();
        if (terms_ > 0) --terms_;
        if (terms_ == 0) leading_ = later(std::chrono::milliseconds{0}, [this] { leave(); });
    }
    void begin_term(const Leadership& leadership) {
        if (!world_.was_ever_first(leadership->node_path())) complain(leadership->node_path() + " leads, but never was first");
        if (!tokens.empty() && leadership->fencing_token() <= tokens.back()) complain("its token is not higher than the last");
        tokens.push_back(leadership->fencing_token());
        on_lead(tokens.back());
        const auto length = random_ms(world_.surroundings().chance(habits_.lingers) ? 10'000 : 30);
        leading_ = later(length, [this] {
            if (latch_) latch_->resign(*latch_->view(), [] {});
        });
    }

    FakeWorld& world_;
    const std::size_t client_;
    int terms_;
    const Habits habits_;
    std::shared_ptr<LatchCore> latch_;
    Registration listening_;
    Registration leaving_;
    Registration leading_;
    bool led_ = false;
};

} // namespace docent::detail
