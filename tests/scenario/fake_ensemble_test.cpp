// SPDX-License-Identifier: Apache-2.0

// Rules of the fake ensemble that requests and replies do not show. integration/conformance tests the other rules.

#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <string>

namespace docent::detail {
namespace {

using Time = FakeEnsemble::Time;
using std::chrono::milliseconds;
constexpr auto timeout = FakeEnsemble::session_timeout;
constexpr auto ping_gap = FakeEnsemble::ping_gap;
constexpr Time start{std::chrono::seconds{1000}};

zk::Request create(const std::string& path) {
    return zk::CreateRequest{path};
}

class FakeEnsembleRules : public testing::Test {
protected:
    FakeEnsemble ensemble;
    const std::int64_t session = ensemble.open_session(start);
};

TEST_F(FakeEnsembleRules, ARequestPassedToTheLeaderExtendsNoSession) {
    const Time later = start + ping_gap - milliseconds{1};
    EXPECT_FALSE(ensemble.answer(0, session, create("/x"), later).ec);
    EXPECT_FALSE(ensemble.answer(0, session, zk::SyncRequest{"/"}, later).ec);
    EXPECT_EQ(ensemble.expiry(session), start + timeout);
}

TEST_F(FakeEnsembleRules, LeaderHearsOfSessionsWhenItPings) {
    const auto other = ensemble.open_session(start);
    ensemble.answer(0, session, zk::ExistsRequest{"/x"}, start + milliseconds{10}); // reads count, too
    ensemble.ping_until(start + ping_gap - milliseconds{1});
    EXPECT_EQ(ensemble.expiry(session), start + timeout);
    ensemble.ping_until(start + ping_gap + milliseconds{300});
    EXPECT_EQ(ensemble.expiry(session), start + ping_gap + timeout) << "when it was due";
    EXPECT_EQ(ensemble.expiry(other), start + timeout);
    ensemble.ping_until(start + 3 * ping_gap);
    EXPECT_EQ(ensemble.expiry(session), start + ping_gap + timeout) << "it is told once";
}

TEST_F(FakeEnsembleRules, ServerThatTakesASessionAgainAsksTheLeader) {
    EXPECT_TRUE(ensemble.touch(session, start + milliseconds{700}));
    EXPECT_EQ(ensemble.expiry(session), start + milliseconds{700} + timeout);
    ensemble.end_session(session);
    EXPECT_FALSE(ensemble.touch(session, start + milliseconds{800}));
}

TEST_F(FakeEnsembleRules, ReadsLagAndASyncCatchesUp) {
    ensemble.answer(0, session, create("/x"), start);
    EXPECT_FALSE(ensemble.answer(0, session, zk::GetRequest{"/x"}, start).ec) << "who wrote it reads it";
    EXPECT_EQ(ensemble.answer(1, session, zk::GetRequest{"/x"}, start).ec, server_error::no_node);
    EXPECT_FALSE(ensemble.answer(1, session, zk::SyncRequest{"/x"}, start).ec);
    EXPECT_FALSE(ensemble.answer(1, session, zk::GetRequest{"/x"}, start).ec);
}

TEST_F(FakeEnsembleRules, AFollowerLearnsAWholeTransactionOrNone) {
    ensemble.answer(0, session, zk::MultiRequest{{zk::CreateRequest{"/x"}, zk::CreateRequest{"/x/y"}, zk::CreateRequest{"/z"}}},
                    start);
    EXPECT_EQ(ensemble.seen_by(1).paths().size(), 1u);
    ensemble.learn_one(1);
    EXPECT_EQ(ensemble.seen_by(1).paths().size(), 4u);
    EXPECT_FALSE(ensemble.lags(1));
}

TEST_F(FakeEnsembleRules, NothingIsWrittenForASessionThatHasEnded) {
    ensemble.end_session(session);
    EXPECT_EQ(ensemble.answer(0, session, create("/x"), start).ec, server_error::session_expired);
    ensemble.apply(session, create("/x"));
    EXPECT_EQ(ensemble.truth().find("/x"), nullptr);
}

class FakeWorldRules : public testing::Test {
protected:
    FakeWorldRules() {
        EXPECT_TRUE(world.run_until([this] { return client.linked(); }));
    }
    FakeWorld world{7, 1, "/lock"};
    FakeClient& client = world.client(0);
    FakeEnsemble& ensemble = world.surroundings().ensemble;
};

TEST_F(FakeWorldRules, WithoutAQuorumServersCloseConnectionsAndEndNoSession) {
    const auto session = client.session().session_id;
    const Time back{world.surroundings().now + 3 * timeout};
    error_code ec;
    client.submit(create("/x"), [&](const zk::Reply& reply) { ec = reply.ec; });
    ensemble.lose_quorum_until(back);
    client.on_no_quorum();
    EXPECT_FALSE(client.can_serve());
    EXPECT_TRUE(world.run_until([&] { return !client.linked(); }));
    EXPECT_EQ(ec, condition::outcome_unknown);
    EXPECT_TRUE(world.run_until([&] { return client.linked(); }));
    EXPECT_GE(Time{world.surroundings().now}, back);
    EXPECT_EQ(client.session().session_id, session);
    EXPECT_TRUE(ensemble.alive(session));
    EXPECT_GE(ensemble.expiry(session), back + timeout) << "a new leader lets it live";
}

TEST_F(FakeWorldRules, AServerWithOlderDataRefusesClients) {
    bool answered = false;
    client.submit(create("/x"), [&](const zk::Reply&) { answered = true; });
    ASSERT_TRUE(world.run_until([&] { return answered; }));
    const auto seen = ensemble.truth().zxid();
    for (std::size_t server = 0; server < FakeEnsemble::server_count; ++server) {
        client.break_link();
        client.connect(server);
        EXPECT_GE(ensemble.seen_by(server).zxid(), seen);
    }
}

} // namespace
} // namespace docent::detail
