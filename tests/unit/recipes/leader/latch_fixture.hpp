// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_recipes/fake_latch.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace docent::detail {

using std::chrono::milliseconds;

/// Two latches, each on its client, and the events of their listeners.
class LatchCoreTest : public testing::Test {
protected:
    using Fault = FakeWorld::Fault;
    using Changes = std::vector<LeadershipChange>;
    using enum LeadershipChange;

    struct Answer {
        int times = 0;
        error_code ec;
        Leadership leadership;
    };

    void TearDown() override {
        for (const auto& latch : latches) {
            if (latch->state() != LatchState::closed) latch->close(LatchClose::silently, *latch->view(), [] {});
        }
    }

    FakeClient& client(std::size_t index) { return world.client(index); }
    const FakeTree& truth() { return world.surroundings().ensemble.truth(); }
    bool leads(std::size_t index) const { return latches[index]->leadership() != nullptr; }
    Changes changes(std::size_t index) const {
        Changes all;
        for (const auto& event : events[index]) all.push_back(event.change);
        return all;
    }

    template <typename Condition> void run_until(Condition condition) {
        ASSERT_TRUE(world.run_until([&] {
            never_two();
            return condition();
        })) << "never came";
    }
    void never_two() {
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
    void settle() {
        run_until([&] { return world.all_idle(); });
    }
    void run_for(milliseconds length) {
        const auto end = world.surroundings().now + length;
        run_until([&] { return world.surroundings().now >= end; });
    }

    /// Cuts the client off until it presumes the loss of its first leadership.
    void give_up_for_lost(std::size_t index) {
        client(index).unreachable = true;
        client(index).break_link({});
        run_until([&] { return changes(index) == Changes{gained, lost}; });
    }

    std::shared_ptr<Answer> wait(std::size_t index, CallOptions call = {}) {
        const auto answer = std::make_shared<Answer>();
        initiate_await_leadership(latches[index], std::move(call), [answer](error_code ec, Leadership leadership) {
            ++answer->times;
            answer->ec = ec;
            answer->leadership = std::move(leadership);
        });
        return answer;
    }
    std::shared_ptr<Answer> resign(std::size_t index) {
        const auto answer = std::make_shared<Answer>();
        initiate_resign(latches[index], {}, [answer](error_code ec) {
            ++answer->times;
            answer->ec = ec;
        });
        return answer;
    }
    std::shared_ptr<Answer> close(std::size_t index, LatchClose how = LatchClose::silently, CallOptions call = {}) {
        const auto answer = std::make_shared<Answer>();
        initiate_latch_close(latches[index], how, std::move(call), [answer](error_code ec) {
            ++answer->times;
            answer->ec = ec;
        });
        return answer;
    }

    FakeWorld world{1, 2, election_path, latch_names()};
    std::vector<std::shared_ptr<LatchCore>> latches{make_fake_latch(world, 0, "first"), make_fake_latch(world, 1, "second")};
    std::vector<LeadershipEvent> events[2];
    Registration listeners[2] = {latches[0]->listen([this](const LeadershipEvent& event) { events[0].push_back(event); }),
                                 latches[1]->listen([this](const LeadershipEvent& event) { events[1].push_back(event); })};
};

} // namespace docent::detail
