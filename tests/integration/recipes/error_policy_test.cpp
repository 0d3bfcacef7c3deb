// SPDX-License-Identifier: Apache-2.0

// The states of the session that end a lease.

#include "clients.hpp"
#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

namespace docent {
namespace {

using docent::test::AnyServer;
using docent::test::eventually;
using docent::testing::FaultProxy;

class ErrorPolicyTest : public ::testing::Test {
protected:
    AnyServer server;
    FaultProxy proxy{server.port()};
    Client direct = started({.connect_string = server.connect_string()});

    ClientConfig config(std::shared_ptr<const ErrorPolicy> policy) const {
        return {.connect_string = proxy.connect_string(),
                .ensemble_tracking = EnsembleTracking::off,
                .error_policy = std::move(policy)};
    }
};

TEST_F(ErrorPolicyTest, StandardPolicyEndsItWithTheConnection) {
    Client client = started(config(ErrorPolicy::standard()));
    InterProcessMutex mutex(client, "/lock");
    Lease lease = mutex.acquire();
    SessionWatcher session(client);
    proxy.refuse();
    proxy.cut();
    session.until(SessionState::suspended);
    EXPECT_EQ(lease.state(), LeaseState::lost);
    EXPECT_TRUE(eventually([&] { return lease.stop_token().stop_requested(); }));
    proxy.heal();
    EXPECT_EQ(session.until(SessionState::connected).epoch, 1u) << "the session survives";
    EXPECT_EQ(lease.state(), LeaseState::lost) << "what was lost stays lost";
    EXPECT_TRUE(eventually([&] { return !direct.exists(lease.node_path()); })) << "others need not wait for the session's end";
    EXPECT_TRUE(mutex.try_acquire_for(generous));
}

TEST_F(ErrorPolicyTest, PolicyOfTheUser) {
    struct Never final : ErrorPolicy {
        bool ends_holding(SessionState) const override { return false; }
    };
    Client client = started(config(std::make_shared<Never>()));
    InterProcessMutex mutex(client, "/lock");
    Lease lease = mutex.acquire();
    client.renew_session();
    EXPECT_TRUE(eventually([&] { return lease.state() == LeaseState::lost; })) << "no policy outlives the session";
}

} // namespace
} // namespace docent
