// SPDX-License-Identifier: Apache-2.0

// The servers that a session uses: names that are answered late or never, and servers other than the configured ones.

#include "c_client/fake_session.hpp"
#include "eventually.hpp"
#include "fake_dns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace docent::session {
namespace {

using namespace std::chrono_literals;

class SessionNames : public ::testing::Test {
protected:
    test::FakeDns dns;

    struct Named : test::FakeSession {
        Named(const test::FakeDns& dns, std::vector<HostPort> servers)
            : FakeSession({.servers = std::move(servers), .timeout = timeout, .lookups = dns.lookups()}) {}
    };
    /// Lets virtual time pass, and the threads of lookups run.
    static bool run_until(Named& named, const std::function<bool()>& condition, std::chrono::milliseconds step = 5ms) {
        for (int n = 0; n < 20'000 && !condition(); ++n) {
            named.loop.run_for(step);
            std::this_thread::sleep_for(100us);
        }
        return condition();
    }
    static SessionState state(const Named& named) { return named.session->last_event().state; }
};

TEST_F(SessionNames, ASilentNameHoldsUpNoConnection) {
    Named named(dns, {{"silent", 1}, {"10.0.0.2", 2}});
    named.session->start();
    named.loop.run_for(1s);
    EXPECT_EQ(state(named), SessionState::connected);
    EXPECT_EQ(named.client.lists.back(), "10.0.0.2:2");
    EXPECT_EQ(named.last_error, "");
}

TEST_F(SessionNames, AllNamesHaveAMomentSoThatNoServerIsPreferred) {
    dns.find("a", "10.0.0.1");
    Named named(dns, {{"a", 1}, {"10.0.0.2", 2}, {"10.0.0.3", 3}});
    named.session->start();
    ASSERT_TRUE(test::eventually([&] {
        named.loop.run_for(0ms); // virtual time stands still until the lookup's thread has answered
        return !named.client.lists.empty();
    }));
    EXPECT_EQ(named.client.lists.front(), "10.0.0.1:1,10.0.0.2:2,10.0.0.3:3");
    EXPECT_TRUE(run_until(named, [&] { return state(named) == SessionState::connected; }));
}

TEST_F(SessionNames, TheSilentNameIsReportedIfNoServerAnswers) {
    Named named(dns, {{"silent", 1}, {"10.0.0.2", 2}});
    named.service.set_quorum(false);
    named.session->start();
    named.loop.run_for(2s);
    EXPECT_NE(named.last_error.find("no answer from 10.0.0.2:2"), std::string::npos) << named.last_error;
    EXPECT_NE(named.last_error.find("cannot resolve silent (no answer from DNS"), std::string::npos) << named.last_error;
}

/// A late DNS answer is used from the next connection attempt on. It does not break off the current attempt: a server may be
/// making a session at that moment.
TEST_F(SessionNames, ALateAnswerIsUsedForTheNextAttempt) {
    Named named(dns, {{"late", 1}, {"10.0.0.2", 2}});
    named.service.accepts = false;
    named.session->start();
    named.loop.run_for(100ms);
    ASSERT_EQ(named.client.lists, std::vector<std::string>{"10.0.0.2:2"});
    ASSERT_EQ(named.client.connections_made, 1u);
    dns.find("late", "10.0.0.1");
    ASSERT_TRUE(run_until(named, [&] { return named.client.lists.size() > 1; }));
    EXPECT_EQ(named.client.lists.back(), "10.0.0.1:1,10.0.0.2:2,10.0.0.1:1");
    EXPECT_EQ(named.client.broken_off, 0u);
    named.service.accepts = true;
    ASSERT_TRUE(run_until(named, [&] { return state(named) == SessionState::connected; }));
    EXPECT_EQ(named.client.broken_off, 0u);
}

/// Numeric addresses are not looked up again, so no later DNS answer would bring the new servers.
TEST_F(SessionNames, ServersThatAreSetDuringAnAttemptAreUsedForTheNextOne) {
    Named named(dns, {{"10.0.0.1", 1}});
    named.service.accepts = false;
    named.session->start();
    named.loop.run_for(100ms);
    ASSERT_EQ(named.client.connections_made, 1u);
    named.session->use_servers({{"10.0.0.2", 2}});
    ASSERT_TRUE(run_until(named, [&] { return named.client.connections_made == 2; }));
    EXPECT_EQ(named.client.lists.back(), "10.0.0.2:2");
    EXPECT_EQ(named.client.broken_off, 0u);
}

TEST_F(SessionNames, AfterADisconnectNamesAreLookedUpAgain) {
    dns.find("a", "10.0.0.1");
    Named named(dns, {{"a", 1}});
    named.session->start();
    ASSERT_TRUE(run_until(named, [&] { return state(named) == SessionState::connected; }));
    const int asked = dns.asked("a");
    named.loop.run_for(10 * Named::timeout);
    EXPECT_EQ(dns.asked("a"), asked) << "while connected, nobody asks";
    dns.find("a", "10.0.0.2"); // the server has a new address
    named.service.set_quorum(false);
    ASSERT_TRUE(run_until(named, [&] { return named.client.lists.back() == "10.0.0.2:1"; }));
    EXPECT_GT(dns.asked("a"), asked);
    named.service.set_quorum(true);
    EXPECT_TRUE(run_until(named, [&] { return state(named) == SessionState::connected; }));
}

TEST_F(SessionNames, ForAnotherSessionNamesAreLookedUpAgain) {
    dns.find("a", "10.0.0.1");
    Named named(dns, {{"a", 1}});
    named.session->start();
    ASSERT_TRUE(run_until(named, [&] { return state(named) == SessionState::connected; }));
    dns.find("a", "10.0.0.2"); // the server has a new address, and the connection is still there
    named.service.accepts = false;
    named.session->renew();
    EXPECT_TRUE(run_until(named, [&] { return named.client.lists.back() == "10.0.0.2:1"; }));
    named.service.accepts = true;
    EXPECT_TRUE(run_until(named, [&] { return state(named) == SessionState::connected; }));
}

/// Otherwise the client would speak without TLS to servers that should be reached through TLS.
TEST(SessionProvider, WhichAsksForTlsOfAClientWithoutItIsNotFollowed) {
    struct Provider final : EnsembleProvider {
        std::string connect_string() override { return "tls://10.0.0.2:2"; }
    };
    struct Provided : test::FakeSession {
        Provided()
            : FakeSession({.servers = {{"10.0.0.1", 1}}, .timeout = timeout, .provider = std::make_shared<Provider>()}) {}
    } provided;
    provided.session->start();
    EXPECT_EQ(provided.last_error, "ensemble provider: it asks for TLS, and the client's configuration does not");
    provided.loop.run_for(1s);
    EXPECT_EQ(provided.client.lists, std::vector<std::string>{"10.0.0.1:1"});
}

/// The servers that the ensemble names may be unreachable under these names. After two rounds of attempts on them the session
/// uses the configured servers again. Rounds before the first connection do not count.
TEST_F(SessionNames, AttemptsBeforeAConnectionDoNotCountAgainstTheServersOfTheEnsemble) {
    Named named(dns, {{"127.0.0.1", 1}});
    named.start();
    named.session->use_servers({{"10.0.0.1", 1}, {"10.0.0.2", 2}});
    const std::string of_ensemble = "10.0.0.1:1,10.0.0.2:2,10.0.0.1:1";
    const auto fail = [&](std::size_t attempts) {
        const auto made = named.client.connections_made;
        return run_until(
            named, [&] { return named.client.connections_made == made + attempts + 1; }, 1ms);
    };
    for (int outage = 0; outage < 3; ++outage) {
        named.service.set_quorum(false);
        ASSERT_TRUE(fail(2));
        named.service.set_quorum(true);
        ASSERT_TRUE(run_until(named, [&] { return state(named) == SessionState::connected; }));
        EXPECT_EQ(named.client.lists.back(), of_ensemble) << "in outage " << outage;
    }
    named.service.set_quorum(false);
    EXPECT_TRUE(run_until(named, [&] { return named.client.lists.back() == "127.0.0.1:1"; }));
}

/// The configured servers may have left the ensemble for ever.
TEST_F(SessionNames, WithoutAnAnswerOfTheConfiguredServersThoseOfTheEnsembleAreTriedAgain) {
    Named named(dns, {{"127.0.0.1", 1}});
    named.start();
    named.session->use_servers({{"10.0.0.1", 1}, {"10.0.0.2", 2}});
    const auto tries_ensemble = [&] { return named.client.lists.back() != "127.0.0.1:1"; };
    named.service.set_quorum(false);
    for (int n = 0; n < 3; ++n) {
        ASSERT_TRUE(run_until(named, [&] { return !tries_ensemble(); })) << n;
        ASSERT_TRUE(run_until(named, tries_ensemble)) << n;
    }
    named.service.set_quorum(true);
    EXPECT_TRUE(run_until(named, [&] { return state(named) == SessionState::connected; }));
}

} // namespace
} // namespace docent::session
