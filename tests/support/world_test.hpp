// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_world.hpp"
#include "lease/hold.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

/// A recipe on some clients in memory.
class WorldTest : public testing::Test {
protected:
    using Fault = FakeWorld::Fault;
    using AnswerPtr = std::shared_ptr<Answer>;

    explicit WorldTest(std::size_t clients, std::string path = "/lock", QueueNames names = mutex_names())
        : world(1, static_cast<int>(clients), std::move(path), std::move(names)), clients_(clients) {}

    FakeClient& client(std::size_t index) { return world.client(index); }
    FakeEnsemble& servers() { return world.surroundings().ensemble; }
    const NodeTree& truth() { return servers().truth(); }
    BootNow boot_now(std::size_t index) {
        return [&world = world, index] { return world.client(index).boot_now(); };
    }

    /// Called before each step of the world.
    virtual void check() {}
    template <typename Condition> void run_until(Condition condition) {
        ASSERT_TRUE(world.run_until([&] {
            check();
            return condition();
        })) << "never came";
    }
    void run_for(std::chrono::milliseconds length) {
        const auto end = world.surroundings().now + length;
        run_until([&] { return world.surroundings().now >= end; });
    }
    void settle() {
        run_until([&] { return world.all_idle(); });
    }
    /// Waits until all clients are connected and have nothing to do.
    void connect() {
        run_until([&] {
            for (std::size_t index = 0; index < clients_; ++index) {
                if (!client(index).linked()) return false;
            }
            return true;
        });
        settle();
    }
    /// Breaks the connection, if there is one. The leader still gets one of the requests under way.
    void lose_replies(std::size_t index) {
        if (client(index).linked()) client(index).break_link({.reached = client(index).has_requests() ? 1u : 0u});
    }

    /// Runs `initiate(handler)`, and notes the answer.
    template <typename Initiate> static AnswerPtr answer_of(Initiate initiate) {
        const auto answer = std::make_shared<Answer>();
        initiate(into(answer));
        return answer;
    }
    void expect(const AnswerPtr& answer, error_code ec = {}) {
        run_until([&] { return answer->arrived(); });
        EXPECT_EQ(answer->times, 1);
        EXPECT_EQ(answer->ec, ec) << answer->ec.message();
    }

    FakeWorld world;

private:
    const std::size_t clients_;
};

} // namespace docent::detail
