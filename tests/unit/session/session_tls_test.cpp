// SPDX-License-Identifier: Apache-2.0

// A session whose servers speak TLS, or should.

#include "c_client/fake_session.hpp"
#include "fake_dns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

namespace docent::session {
namespace {

using namespace std::chrono_literals;
using enum SessionState;
using zk::TlsFault;

class SessionTls : public ::testing::Test, protected test::FakeSession {
protected:
    const TlsFault refused{"its certificate is not for zk", true};
    const TlsFault hung_up{"hung up"};
    const TlsFault none{};

    SessionTls()
        : FakeSession({.servers = {{"127.0.0.1", 1}, {"127.0.0.1", 2}, {"127.0.0.1", 3}},
                       .timeout = timeout,
                       .tls = std::make_shared<zk::TlsContext>(TlsConfig{})}) {
        loop.tls_outcome = [this] { return outcomes.empty() ? none : outcomes[handshakes++ % outcomes.size()]; };
    }
    ~SessionTls() override { end(); }

    /// Counts the events that end the waits for a connection.
    auto refusals() const { return std::count(events.begin(), events.end(), SessionEvent{lost, 0, 0, error::tls_failed}); }

    std::vector<TlsFault> outcomes; // of the handshakes, one after the other; empty: all succeed
    std::size_t handshakes = 0;
};

TEST_F(SessionTls, Connects) {
    start();
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_EQ(last_error, "");
}

TEST_F(SessionTls, IfTlsFailsWithAllServersTheWaitsForTheFirstConnectionEndAtOnce) {
    outcomes = {refused};
    session->start();
    loop.run_for(300ms);
    EXPECT_EQ(refusals(), 1);
    EXPECT_EQ(last_error, "no answer from 127.0.0.1:1 (its certificate is not for zk), 127.0.0.1:2 (its certificate is not for "
                          "zk), 127.0.0.1:3 (its certificate is not for zk)");
    loop.run_for(20s);
    EXPECT_GE(refusals(), 10) << "also waits that begin later end";
    EXPECT_LE(handshakes, 3U * 21) << "each server is tried once a second";
    outcomes.clear(); // the certificates are replaced
    loop.run_for(2s);
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_EQ(session->last_event().epoch, 1U);
    EXPECT_EQ(last_error, "");
}

TEST_F(SessionTls, ConnectsToTheOneServerWithoutATlsFault) {
    outcomes = {refused, refused, none};
    start();
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_EQ(refusals(), 0);
}

TEST_F(SessionTls, WhileOneServerMayOnlyBeBusyTheWaitsGoOn) {
    outcomes = {refused, hung_up, refused};
    start();
    loop.run_for(10s);
    EXPECT_GE(handshakes, 3U * 15);
    EXPECT_LE(handshakes, 3U * 40) << "the pauses grow";
    EXPECT_EQ(refusals(), 0);
    EXPECT_EQ(session->last_event().state, connecting);
    EXPECT_NE(last_error.find("127.0.0.1:2 (hung up)"), std::string::npos) << last_error;
}

TEST_F(SessionTls, AClientThatWasConnectedGoesOnTrying) {
    start();
    ASSERT_EQ(session->last_event().state, connected);
    const auto first = session->last_event();
    outcomes = {refused};
    service.cut(false);
    loop.run_for(timeout / 4);
    EXPECT_GE(handshakes, 3U);
    EXPECT_EQ(session->last_event().state, suspended);
    outcomes.clear();
    loop.run_for(timeout / 4);
    EXPECT_EQ(session->last_event(), first);
    EXPECT_EQ(refusals(), 0);
}

/// By then, the C client has sent its handshake without TLS. Without a look at its state, the session would go on without TLS.
TEST_F(SessionTls, AConnectionThatIsMadeBeforeTlsCanBeginIsEnded) {
    client.connects_at_once = true;
    session->start();
    loop.run_for(3s);
    EXPECT_EQ(service.sessions(), 0U);
    EXPECT_EQ(session->last_event().epoch, 0U);
    EXPECT_GE(refusals(), 1) << "waiting is useless";
    EXPECT_NE(last_error.find("127.0.0.1:1 (connected before TLS could begin"), std::string::npos) << last_error;
    client.connects_at_once = false;
    loop.run_for(2s);
    EXPECT_EQ(session->last_event().state, connected);
}

TEST_F(SessionTls, ASessionGoesOnOnlyWithTls) {
    start();
    ASSERT_EQ(session->last_event().state, connected);
    const auto first = session->last_event();
    client.connects_at_once = true;
    service.cut(false);
    loop.run_for(timeout / 4);
    EXPECT_EQ(session->last_event().state, suspended);
    EXPECT_GE(client.connections_made, 4U) << "it goes on trying";
    client.connects_at_once = false;
    loop.run_for(timeout / 4);
    EXPECT_EQ(session->last_event(), first);
}

TEST_F(SessionTls, AClientThatIsRefusedLaterTriesWithGrowingPauses) {
    start();
    outcomes = {refused};
    service.cut(false);
    loop.run_for(2 * timeout); // the bound has passed, and the pauses have grown to T/6
    const auto before = handshakes;
    loop.run_for(20s);
    EXPECT_GE(handshakes - before, 3U * 25);
    EXPECT_LE(handshakes - before, 3U * 62);
    outcomes.clear();
    loop.run_for(1s);
    EXPECT_EQ(session->last_event().state, connected);
}

TEST(SessionTlsNames, WaitsGoOnWhileANameHasNoAddress) {
    struct Named : test::FakeSession {
        explicit Named(const test::FakeDns& dns)
            : FakeSession({.servers = {{"127.0.0.1", 1}, {"silent", 2}},
                           .timeout = timeout,
                           .lookups = dns.lookups(),
                           .tls = std::make_shared<zk::TlsContext>(TlsConfig{})}) {}
    };
    test::FakeDns dns;
    Named named(dns);
    named.loop.tls_outcome = [] { return TlsFault{"its certificate is not for zk", true}; };
    named.session->start();
    named.loop.run_for(5s);
    EXPECT_NE(named.last_error.find("its certificate is not for zk"), std::string::npos) << named.last_error;
    EXPECT_EQ(named.session->last_event().state, connecting);
}

} // namespace
} // namespace docent::session
