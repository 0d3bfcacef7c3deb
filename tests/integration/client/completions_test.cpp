// SPDX-License-Identifier: Apache-2.0

// The threads on which users' functions are called: never those on which the client does its work.

#include "clients.hpp"
#include "eventually.hpp"
#include "heartbeat_counter.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::AnyServer;
using docent::test::eventually;
using docent::test::HeartbeatCounter;
using docent::testing::FaultProxy;

/// The executors that a client can be given.
enum class RunsOn { own_threads, pool, strand_of_pool };

std::string name_of(RunsOn runs_on) {
    switch (runs_on) {
    case RunsOn::own_threads: return "OwnThreads";
    case RunsOn::pool: return "Pool";
    case RunsOn::strand_of_pool: return "StrandOfPool";
    }
    return {};
}

/// A tracer that blocks in the calls that a test chooses.
class SlowTracer final : public Tracer {
public:
    explicit SlowTracer(std::function<void()> slow) : slow_(std::move(slow)) {}
    void on_operation(const OperationTrace& trace) override {
        if (trace.name == "sync") slow_();
    }

private:
    std::function<void()> slow_;
};

class CompletionsTest : public ::testing::TestWithParam<RunsOn> {
protected:
    AnyServer server{{.tick_time = 500ms}};
    FaultProxy proxy{server.port()};
    asio::thread_pool pool{4};

    std::unique_ptr<Client> make_client(ClientConfig config) const {
        switch (GetParam()) {
        case RunsOn::own_threads: return std::make_unique<Client>(std::move(config));
        case RunsOn::pool: return std::make_unique<Client>(pool_executor(), std::move(config));
        case RunsOn::strand_of_pool: return std::make_unique<Client>(asio::make_strand(pool_executor()), std::move(config));
        }
        return nullptr;
    }
    asio::thread_pool::executor_type pool_executor() const { return const_cast<asio::thread_pool&>(pool).get_executor(); }
};

/// Each handler blocks its thread until two heartbeats have passed.
TEST_P(CompletionsTest, ASlowHandlerCostsNoLeaseAndDelaysNoHeartbeat) {
    std::atomic<int> done{0};
    std::atomic<int> alone{0}; // handlers during which no heartbeat was seen
    HeartbeatCounter beats(proxy);
    const auto wait_for_beats = [&] {
        if (!beats.go_on()) ++alone;
        ++done;
    };
    const auto client = make_client({.connect_string = proxy.connect_string(),
                                     .session_timeout = 10s,
                                     .ensemble_tracking = EnsembleTracking::off,
                                     .tracer = std::make_shared<SlowTracer>(wait_for_beats)});
    client->start();
    client->wait_connected();
    ASSERT_EQ(client->negotiated_timeout(), 10s);
    const Lease lease = InterProcessMutex(*client, "/lock").acquire();
    auto watched = client->exists_watched("/node");

    Subscription listening = client->listen([wait_for_beats](const SessionEvent&) { wait_for_beats(); });
    client->async_get("/", [wait_for_beats](error_code, const NodeData&) { wait_for_beats(); });
    watched.watch.async_wait([wait_for_beats](error_code, const WatchEvent&) { wait_for_beats(); });
    client->create("/node");
    EXPECT_TRUE(eventually([&] { return done >= 2; }));
    client->sync(); // its tracer waits

    EXPECT_TRUE(eventually([&] { return done >= 3; }));
    EXPECT_EQ(alone, 0);
    EXPECT_TRUE(lease.owns());
    EXPECT_FALSE(lease.stop_token().stop_requested());
    EXPECT_EQ(client->session().epoch, 1u);
    listening = Subscription(); // no heartbeat comes during the close
    client->close();
    pool.join();
}

TEST_P(CompletionsTest, CompleteEachOnceFromManyThreads) {
    const auto client = make_client({.connect_string = server.connect_string(), .session_timeout = 3s});
    client->start();
    std::atomic<int> completed{0};
    std::vector<std::thread> callers;
    for (int n = 0; n < 4; ++n) {
        callers.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                client->async_exists("/", [&](error_code ec, const auto& stat) { completed += !ec && stat; });
            }
        });
    }
    for (auto& caller : callers) caller.join();
    EXPECT_TRUE(eventually([&] { return completed == 200; })) << completed;
    client->async_close(asio::use_future).get();
}

TEST_P(CompletionsTest, KeepTheirExecutorAtWorkUntilTheyAreCalled) {
    const auto client = make_client({.connect_string = server.connect_string(), .session_timeout = 3s});
    asio::io_context mine;
    bool completed = false;
    client->async_exists("/", asio::bind_executor(mine, [&](error_code ec, const auto&) { completed = !ec; }));
    client->start();
    mine.run(); // without work, run() would return long before there is a connection
    EXPECT_TRUE(completed);
    client->async_close(asio::use_future).get();
}

INSTANTIATE_TEST_SUITE_P(On, CompletionsTest, ::testing::Values(RunsOn::own_threads, RunsOn::pool, RunsOn::strand_of_pool),
                         [](const auto& each) { return name_of(each.param); });

class BlockingCalls : public CompletionsTest {};

TEST_P(BlockingCalls, FailAtOnceOnThreadsThatRunTheClient) {
    const auto client = make_client({.connect_string = server.connect_string(), .session_timeout = 3s});
    client->start();
    client->wait_connected();
    std::promise<error_code> refused;
    client->async_exists("/", [&](error_code, const auto&) {
        error_code ec;
        client->exists("/", ec);
        refused.set_value(ec);
    });
    auto answer = refused.get_future();
    ASSERT_EQ(answer.wait_for(30s), std::future_status::ready) << "it waits for itself";
    EXPECT_EQ(answer.get(), error::would_deadlock);
    client->async_close(asio::use_future).get();
}

INSTANTIATE_TEST_SUITE_P(On, BlockingCalls, ::testing::Values(RunsOn::pool, RunsOn::strand_of_pool),
                         [](const auto& each) { return name_of(each.param); });

/// A provider that makes a blocking call, which is forbidden there.
class BlockingProvider final : public AclProvider {
public:
    Acl acl_for(const std::string&) override {
        ++asked;
        error_code ec;
        client->exists("/", ec);
        if (ec == error::would_deadlock) ++refused;
        return open_acl();
    }

    Client* client = nullptr;
    std::atomic<int> asked{0};
    std::atomic<int> refused{0};
};

TEST(BlockingCallsInProviders, AreRefused) {
    AnyServer server;
    const auto provider = std::make_shared<BlockingProvider>();
    Client client({.connect_string = server.connect_string(), .acl_provider = provider});
    provider->client = &client;
    client.start();
    client.create("/n");
    EXPECT_GT(provider->asked, 0);
    EXPECT_EQ(provider->refused, provider->asked);
}

TEST(BlockingCallsOfIdleClients, CallNoHandlersOnTheirThread) {
    for (int n = 0; n < 20; ++n) {
        asio::io_context mine;
        Client client = started({.connect_string = "127.0.0.1:1"});
        bool in_a_call = false;
        bool completed = false;
        asio::post(mine, [&] {
            client.async_exists("/", asio::bind_executor(mine, [&](error_code ec, std::optional<Stat>) {
                                    EXPECT_EQ(ec, error::closed);
                                    EXPECT_FALSE(in_a_call) << "inside the call of close()";
                                    completed = true;
                                }));
            error_code ec;
            client.exists("/", ec,
                          {.timeout = 1ms}); // the work that was posted before has ended by then, so close() may begin here
            in_a_call = true;
            client.close();
            in_a_call = false;
        });
        mine.run();
        EXPECT_TRUE(completed);
    }
}

TEST(BlockingCallsInHandlers, SucceedOnTheSecondThreadOfAClient) {
    AnyServer server;
    Client client = started({.connect_string = server.connect_string(), .session_timeout = 3s});
    std::promise<error_code> answered;
    client.async_exists("/", [&](error_code, const auto&) {
        error_code ec;
        client.exists("/", ec);
        answered.set_value(ec);
    });
    EXPECT_EQ(answered.get_future().get(), error_code{});
}

} // namespace
} // namespace docent
