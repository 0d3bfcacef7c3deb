// SPDX-License-Identifier: Apache-2.0

// Destruction while an executor accepts no more work, for example for want of memory: no destructor throws.

#include "client/core/access.hpp"
#include "client/events/event_source.hpp"

#include <docent/recipes/shared_value.hpp>
#include <docent/session_events.hpp>
#include <docent/watch.hpp>

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <utility>

namespace docent {
namespace {

namespace execution = asio::execution;

/// The memory of an ExhaustibleExecutor. While it is exhausted, the executor refuses all work and counts the refusals.
struct Memory {
    bool exhausted = false;
    int refusals = 0;
};

class ExhaustibleExecutor {
public:
    ExhaustibleExecutor(asio::io_context::executor_type inner, std::shared_ptr<Memory> memory)
        : inner_(inner), memory_(std::move(memory)) {}

    template <typename Function> void execute(Function&& function) const {
        if (memory_->exhausted) {
            ++memory_->refusals;
            throw std::bad_alloc();
        }
        asio::post(inner_, std::forward<Function>(function));
    }
    asio::execution_context& query(execution::context_t) const noexcept { return inner_.context(); }
    static constexpr execution::blocking_t::never_t query(execution::blocking_t) noexcept { return {}; }

    friend bool operator==(const ExhaustibleExecutor&, const ExhaustibleExecutor&) noexcept = default;

private:
    asio::io_context::executor_type inner_;
    std::shared_ptr<Memory> memory_;
};

class Destructors : public ::testing::Test {
protected:
    std::shared_ptr<Memory> memory = std::make_shared<Memory>();
    asio::io_context context;
    Client client{ExhaustibleExecutor(context.get_executor(), memory), {}};

    std::shared_ptr<detail::WatchState> open_watch() {
        auto state = std::make_shared<detail::WatchState>(detail::Access::view(client), "/a", zk::WatchKind::data);
        sink_ = state->open();
        return state;
    }
    template <typename T> void destroy_without_memory(std::unique_ptr<T> object) {
        context.poll(); // runs all work that was posted before
        memory->exhausted = true;
        object.reset();
        memory->exhausted = false;
        EXPECT_EQ(memory->refusals, 1) << "it had something to tell the client";
    }

private:
    zk::WatchSink sink_;
};

TEST_F(Destructors, OfAnAwaitedWatchDoesNotThrow) {
    destroy_without_memory(std::make_unique<Watch>(open_watch()));
}

TEST_F(Destructors, OfTheStateOfAWatchDoesNotThrow) {
    destroy_without_memory(std::make_unique<std::shared_ptr<detail::WatchState>>(open_watch()));
}

TEST_F(Destructors, OfSessionEventsDoesNotThrow) {
    destroy_without_memory(std::make_unique<SessionEvents>(client.session_events()));
}

TEST_F(Destructors, OfASharedValueDoesNotThrow) {
    destroy_without_memory(std::make_unique<SharedValue>(client, "/a", ""));
}

TEST_F(Destructors, OfASubscriptionLetsGoOfTheExecutor) {
    const auto users = std::make_shared<Memory>();
    {
        const Subscription listening =
            client.listen([](const SessionEvent&) {}, ExhaustibleExecutor(context.get_executor(), users));
        EXPECT_GT(users.use_count(), 1);
    }
    EXPECT_EQ(users.use_count(), 1) << "what it runs on may end now";
}

} // namespace
} // namespace docent
