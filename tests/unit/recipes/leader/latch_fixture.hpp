// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_recipes/fake_latch.hpp"
#include "unit/recipes/world_test.hpp"

#include <memory>
#include <vector>

namespace docent::detail {

using std::chrono::milliseconds;

/// Two latches, each on its client, and the events of their listeners.
class LatchCoreTest : public WorldTest {
protected:
    using Fault = FakeWorld::Fault;
    using Changes = std::vector<LeadershipChange>;
    using enum LeadershipChange;

    struct LeadershipAnswer : Answer {
        Leadership leadership;
    };

    LatchCoreTest() : WorldTest(2, election_path, latch_names()) {}
    void TearDown() override {
        for (const auto& latch : latches) {
            if (latch->state() != LatchState::closed) latch->close(LatchClose::silently, *latch->view(), [] {});
        }
    }

    bool leads(std::size_t index) const { return latches[index]->leadership() != nullptr; }
    Changes changes(std::size_t index) const {
        Changes all;
        for (const auto& event : events[index]) all.push_back(event.change);
        return all;
    }

    /// There are never two leaders.
    void check() override {
        for (const auto& latch : latches) {
            const auto leadership = latch->leadership();
            // A leader whose node an administrator has deleted cannot know that yet.
            if (!leadership || world.was_taken(leadership->node_path())) continue;
            EXPECT_EQ(world.first(), leadership->node_path());
        }
    }
    void lead(std::size_t index) {
        ASSERT_EQ(latches[index]->start(), error_code{});
        run_until([&] { return leads(index); });
    }
    /// Runs until the latch waits behind the other one and its watches are set.
    void queue_up(std::size_t index) {
        const auto sent = client(index).requests_sent();
        ASSERT_EQ(latches[index]->start(), error_code{});
        run_until(
            [&] { return world.queue().size() == 2 && client(index).idle() && client(index).requests_sent() >= sent + 4; });
    }

    /// Cuts the client off until it presumes the loss of its first leadership.
    void give_up_for_lost(std::size_t index) {
        client(index).unreachable = true;
        client(index).break_link({});
        run_until([&] { return changes(index) == Changes{gained, lost}; });
    }

    std::shared_ptr<LeadershipAnswer> wait(std::size_t index, CallOptions call = {}) {
        const auto answer = std::make_shared<LeadershipAnswer>();
        initiate_await_leadership(latches[index], std::move(call), [answer](error_code ec, Leadership leadership) {
            ++answer->times;
            answer->ec = ec;
            answer->leadership = std::move(leadership);
        });
        return answer;
    }
    AnswerPtr resign(std::size_t index) {
        return answer_of([&](auto handler) { initiate_resign(latches[index], {}, std::move(handler)); });
    }
    AnswerPtr close(std::size_t index, LatchClose how = LatchClose::silently, CallOptions call = {}) {
        return answer_of([&](auto handler) { initiate_latch_close(latches[index], how, std::move(call), std::move(handler)); });
    }

    std::vector<std::shared_ptr<LatchCore>> latches{make_fake_latch(world, 0, "first"), make_fake_latch(world, 1, "second")};
    std::vector<LeadershipEvent> events[2];
    Registration listeners[2] = {latches[0]->listen([this](const LeadershipEvent& event) { events[0].push_back(event); }),
                                 latches[1]->listen([this](const LeadershipEvent& event) { events[1].push_back(event); })};
};

} // namespace docent::detail
