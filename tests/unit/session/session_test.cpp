// SPDX-License-Identifier: Apache-2.0
#include "c_client/fake_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace docent::session {
namespace {

using namespace std::chrono_literals;
using enum SessionState;

class SessionOnFake : public ::testing::Test, protected test::FakeSession {};

TEST_F(SessionOnFake, OutageOfAnyLengthKeepsTheSession) {
    start();
    submit(zk::CreateRequest{"/e", "", CreateMode::ephemeral, Acl{AclEntry{}}});
    loop.run_for(1s);
    const auto first = session->last_event();
    ASSERT_EQ(first.state, connected);
    for (const auto outage : {3 * timeout, 10 * timeout, 1000 * timeout}) {
        service.set_quorum(false);
        loop.run_for(outage);
        EXPECT_EQ(session->last_event(), (SessionEvent{lost, 1, first.session_id, error::not_connected}));
        service.set_quorum(true);
        loop.run_for(2 * timeout);
        EXPECT_EQ(session->last_event(), first);
        EXPECT_NE(service.tree().find("/e"), nullptr);
    }
    EXPECT_EQ(service.sessions(), 1u) << "those that were made to find out are closed";
}

TEST_F(SessionOnFake, ProbesAreRare) {
    start();
    const auto made = client.handles_made;
    service.set_quorum(false);
    loop.run_for(100 * timeout);
    EXPECT_LE(client.handles_made - made, 100u) << "one a session timeout";
    EXPECT_LE(client.handles(), 2u);
}

/// A server that hangs up may have no quorum. Or its port is for TLS, and it will hang up for ever.
TEST_F(SessionOnFake, ServersThatHangUpAreTriedWithGrowingPauses) {
    service.set_quorum(false);
    session->start();
    loop.run_for(5s); // the pauses have grown to T/6
    const auto before = client.connections_made;
    loop.run_for(20s);
    EXPECT_GE(client.connections_made - before, 3u * 25);
    EXPECT_LE(client.connections_made - before, 3u * 62);
    service.set_quorum(true);
    loop.run_for(1s);
    EXPECT_EQ(session->last_event().state, connected);
}

TEST_F(SessionOnFake, PausesGrowOnlyWhenNoLockCanBeSaved) {
    start();
    auto before = client.connections_made;
    service.set_quorum(false);
    loop.run_for(timeout / 2);
    EXPECT_GE(client.connections_made - before, 3u * 20);
    loop.run_for(2 * timeout);
    before = client.connections_made;
    loop.run_for(20s);
    constexpr unsigned of_probes = 3 * 6;
    EXPECT_LE(client.connections_made - before, 3u * 62 + of_probes);
}

TEST_F(SessionOnFake, ServersThatHaveForgottenUsEndTheSession) {
    start();
    submit(zk::SetRequest{"/a", ""});
    loop.run_for(1s);
    service.forget_everything();
    loop.run_for(4 * timeout);
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_EQ(session->last_event().epoch, 2u);
    EXPECT_EQ(service.sessions(), 1u) << "the probe's is closed";
}

/// The server goes on to answer reads and heartbeats for ever.
TEST_F(SessionOnFake, RefusedRequestSaysThatTheSessionIsOverThoughItsConnectionGoesOn) {
    start();
    service.end_beside(session->last_event().session_id);
    loop.run_for(2 * timeout);
    EXPECT_EQ(session->last_event().state, connected) << "nothing has said otherwise";
    const auto made = client.handles_made;
    error_code answered;
    for (int i = 0; i < 2; ++i) {
        submit(zk::CreateRequest{"/e", "", CreateMode::ephemeral, Acl{AclEntry{}}},
               [&](const zk::Reply& reply) { answered = reply.ec; });
    }
    loop.run_for(timeout / 4);
    EXPECT_EQ(answered, server_error::session_expired);
    ASSERT_GE(events.size(), 2u);
    EXPECT_EQ(events.end()[-2], (SessionEvent{lost, 1, events.front().session_id, server_error::session_expired}));
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_EQ(session->last_event().epoch, 2u);
    EXPECT_EQ(client.handles_made - made, 1u);
}

/// A server that has no leader accepts no new session, and its old connections prove nothing.
TEST_F(SessionOnFake, QuorumThatGoesAgainDuringTheProbeProvesNothing) {
    start();
    submit(zk::SetRequest{"/a", ""});
    loop.run_for(1s);
    const auto first = session->last_event();
    service.refuse(first.session_id); // refuses this session only, while the quorum comes and goes
    service.cut(false);
    for (int i = 0; i < 20; ++i) {
        loop.run_for(timeout * 3 / 4);
        service.set_quorum(false);
        loop.run_for(timeout / 2);
        service.set_quorum(true);
    }
    EXPECT_EQ(session->last_event().epoch, 1u);
    service.refuse(0);
    loop.run_for(timeout);
    EXPECT_EQ(session->last_event(), first);
}

/// A server that accepts the session without the client hearing of it has extended the session. Then the result of the probe no
/// longer proves that the session is over.
TEST_F(SessionOnFake, ASilentAttemptDuringTheProbeVoidsItsResult) {
    start();
    submit(zk::SetRequest{"/a", ""});
    loop.run_for(1s);
    const auto first = session->last_event();
    service.refuse(first.session_id);
    service.set_quorum(false);
    const auto made = client.handles_made;
    ASSERT_TRUE(run_until([&] { return client.handles_made > made; })); // the first probe, which no server answers
    loop.run_for(timeout * 4 / 5);
    service.set_quorum(true); // a quorum alone extends the session by one timeout
    ASSERT_TRUE(run_until([&] { return service.sessions() == 2; }));
    loop.run_for(timeout / 4);
    const auto probes = client.handles_made;
    service.hush(first.session_id);
    loop.run_for(timeout);
    service.hush(0);
    EXPECT_EQ(service.sessions(), 1u) << "the probe has not been ended";
    loop.run_for(timeout * 3 / 10); // the probe would have found a quorum by now
    ASSERT_TRUE(service.alive(first.session_id));
    EXPECT_EQ(client.handles_made, probes);
    service.refuse(0);
    loop.run_for(timeout / 4);
    EXPECT_EQ(session->last_event(), first);
}

TEST_F(SessionOnFake, AnswersOfTheCClientItselfDoNotExtendTheBound) {
    start();
    loop.run_for(timeout * 2 / 5); // so long that an answer of the leader would move the bound
    const auto before = session->clock()->valid_until();
    client.next_send = ZSYSTEMERROR;
    submit(zk::SyncRequest{"/"});
    loop.run_for(10ms);
    EXPECT_EQ(session->clock()->valid_until(), before);
    submit(zk::SyncRequest{"/"});
    loop.run_for(10ms);
    EXPECT_GT(session->clock()->valid_until(), before);
}

TEST_F(SessionOnFake, AnswersThatTheLeaderHasNoPartInDoNotExtendTheBound) {
    start();
    loop.run_for(timeout * 2 / 5);
    const auto before = session->clock()->valid_until();
    submit(zk::GetRequest{"/a"});
    loop.run_for(10ms);
    EXPECT_EQ(session->clock()->valid_until(), before);
    submit(zk::SyncRequest{"/"});
    loop.run_for(10ms);
    EXPECT_GT(session->clock()->valid_until(), before);
}

/// A server that checks ACLs early refuses without asking the leader.
TEST_F(SessionOnFake, RefusalForWantOfPermissionDoesNotExtendTheBound) {
    service.set_acl("/a", {{Permission::write, "world", "anyone"}});
    start();
    loop.run_for(timeout * 2 / 5);
    const auto before = session->clock()->valid_until();
    error_code answered;
    submit(zk::SetAclRequest{"/a", open_acl()}, [&](const zk::Reply& reply) { answered = reply.ec; });
    loop.run_for(10ms);
    EXPECT_EQ(answered, server_error::no_auth);
    EXPECT_EQ(session->clock()->valid_until(), before);
    submit(zk::SyncRequest{"/"});
    loop.run_for(10ms);
    EXPECT_GT(session->clock()->valid_until(), before);
}

/// The C client itself would wait for two thirds of the timeout.
TEST_F(SessionOnFake, ASilentServerIsLeftWhileTheSessionIsStillCertain) {
    start();
    session->set_frequent_heartbeats(true);
    loop.run_for(timeout / 4);
    const auto before = client.connections_made;
    service.stall_down(2 * timeout);
    loop.run_for(timeout / 2);
    EXPECT_GT(client.connections_made, before);
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_EQ(session->last_event().epoch, 1u);
}

TEST_F(SessionOnFake, RefusedCredentialsArePresentedAgainAfterASecond) {
    start();
    const auto made = client.handles_made;
    client.tell(ZOO_AUTH_FAILED_STATE);
    loop.run_for(900ms);
    EXPECT_EQ(session->last_event().state, lost);
    EXPECT_EQ(session->last_event().reason, server_error::auth_failed);
    EXPECT_EQ(client.handles_made, made);
    loop.run_for(1s);
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_EQ(client.handles_made, made + 1);
}

TEST_F(SessionOnFake, FaultsOfServersAreForgottenWithAConnection) {
    service.set_quorum(false);
    session->start();
    loop.run_for(1s);
    ASSERT_NE(last_error.find("127.0.0.1:3 (hung up"), std::string::npos) << last_error;
    service.set_quorum(true);
    loop.run_for(1s);
    ASSERT_EQ(last_error, "");
    service.accepts = false;
    service.cut(false);
    ASSERT_TRUE(run_until([&] { return !last_error.empty(); }));
    EXPECT_NE(last_error.find("not tried yet"), std::string::npos) << last_error;
    EXPECT_EQ(last_error.find("hung up"), std::string::npos) << last_error;
}

TEST_F(SessionOnFake, AnswersThatArriveDuringAStallOfThisProcessKeepTheConnection) {
    start();
    session->set_frequent_heartbeats(true);
    for (int i = 0; i < 100; ++i) {
        loop.run_for(timeout / 16); // a heartbeat was sent, and its answer may be under way
        loop.stand_still(timeout / 3);
    }
    EXPECT_EQ(client.connections_made, 1u);
}

/// The leader of the server that accepts the session again may have lost its quorum without having noticed.
TEST_F(SessionOnFake, AReturnProvesLessThanANewSessionDoes) {
    start();
    const auto before = session->clock()->valid_until();
    const auto made = client.connections_made;
    service.cut(false);
    ASSERT_TRUE(run_until([&] { return client.connections_made > made && session->last_event().state == connected; }));
    EXPECT_LE(session->clock()->valid_until(), std::max(before, loop.now() + certain_life_with_a_leader(timeout)));
}

/// Servers so many and so far away that a probe finds a quorum before each of them has refused the session.
class SessionOnManyServers : public ::testing::Test, protected test::FakeSession {
protected:
    SessionOnManyServers() : FakeSession({.servers = servers(), .timeout = timeout}) {
        service.latency = [] { return 100ms; };
    }
    static std::vector<HostPort> servers() {
        std::vector<HostPort> all;
        for (std::uint16_t port = 1; port <= 25; ++port) all.push_back({"127.0.0.1", port});
        return all;
    }
};

TEST_F(SessionOnManyServers, ProbeLooksAgainUntilEachServerHasRefusedTheSession) {
    start();
    submit(zk::SetRequest{"/a", ""});
    loop.run_for(1s);
    service.forget_everything();
    loop.run_for(6 * timeout);
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_EQ(session->last_event().epoch, 2u);
}

using SessionHeartbeats = SessionOnFake;

TEST_F(SessionHeartbeats, BecomeFrequentAtOnce) {
    start();
    ASSERT_TRUE(run_to_heartbeat());
    const int before = heartbeats_sent;
    session->set_frequent_heartbeats(true);
    loop.run_for(frequent_heartbeats(timeout) + 10ms);
    EXPECT_EQ(heartbeats_sent, before + 1);
}

/// Two heartbeats must be answered before the session comes back.
TEST_F(SessionHeartbeats, AreFrequentAfterAPresumedLoss) {
    start();
    submit(zk::GetRequest{"/a"}); // answered during the stall, so that the connection survives it
    loop.stand_still(timeout * 7 / 10);
    loop.run_for(timeout / 8);
    ASSERT_GE(events.size(), 2u);
    EXPECT_EQ(events[1].state, lost);
    EXPECT_EQ(session->last_event(), events[0]);
    EXPECT_EQ(client.connections_made, 1u);
}

/// One client of a fleet.
class Member : public test::FakeSession {
public:
    using FakeSession::FakeSession;

    /// The time until it connects next.
    std::chrono::milliseconds time_to_connect() {
        const auto begin = loop.now();
        run_until([this, before = client.connections_made] { return client.connections_made > before; });
        return std::chrono::floor<std::chrono::milliseconds>(loop.now() - begin);
    }
};

TEST(SessionFleet, AHandleDoesNotRepeatThePausesOfTheOneBefore) {
    int alike = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Member member(seed);
        member.start();
        std::vector<std::chrono::milliseconds> pauses;
        for (int handle = 0; handle < 2; ++handle) {
            member.service.cut(false);
            pauses.push_back(member.time_to_connect());
            member.loop.run_for(1s);
            member.session->renew(); // with another handle
            member.loop.run_for(1s);
        }
        EXPECT_EQ(member.session->last_event().epoch, 3u);
        if (std::chrono::abs(pauses[0] - pauses[1]) <= 2ms) ++alike;
    }
    EXPECT_LE(alike, 5) << "by chance only";
}

/// Divides the span of the times into ten parts. Returns the number of times in the fullest part.
std::size_t largest_tenth(const std::vector<std::chrono::milliseconds>& times) {
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    const auto spread = *last - *first + 1ms;
    std::vector<std::size_t> tenths(10);
    for (const auto time : times) ++tenths.at(static_cast<std::size_t>((time - *first) * 10 / spread));
    return *std::max_element(tenths.begin(), tenths.end());
}

TEST(SessionFleet, MembersOfALostServerComeBackOneAfterTheOther) {
    constexpr std::uint64_t members = 200;
    for (const auto heartbeats : {Heartbeats::frequent, Heartbeats::relaxed}) {
        std::vector<std::chrono::milliseconds> starts;
        std::vector<std::chrono::milliseconds> returns;
        for (std::uint64_t seed = 1; seed <= members; ++seed) {
            Member member(seed, heartbeats);
            member.session->start();
            starts.push_back(member.time_to_connect());
            member.loop.run_for(1s);
            member.service.cut(false);
            returns.push_back(member.time_to_connect());
            EXPECT_LE(returns.back(), zk::longest_connect_pause(Member::timeout, heartbeats) + 10ms);
            member.loop.run_for(1s);
            EXPECT_EQ(member.session->last_event().state, connected);
            EXPECT_EQ(member.events.size(), 3u) << "suspended in between, and never lost";
        }
        const bool starts_are_spread = largest_tenth(starts) <= members / 5;
        EXPECT_EQ(starts_are_spread, heartbeats == Heartbeats::relaxed);
        EXPECT_LE(largest_tenth(returns), members / 5);
    }
}

/// docs/guarantees.md has these figures.
TEST(SessionFleet, AShortOutageCostsNoLock) {
    for (const auto& [heartbeats, parts] : {std::pair(Heartbeats::frequent, 2), std::pair(Heartbeats::relaxed, 6)}) {
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            Member member(seed, heartbeats);
            member.session->set_frequent_heartbeats(true);
            member.session->start();
            member.loop.run_for(3 * Member::timeout + std::chrono::milliseconds{seed * 10});
            member.service.set_quorum(false); // the servers close their connections
            member.loop.run_for(Member::timeout / parts - 10ms);
            member.service.set_quorum(true);
            member.loop.run_for(Member::timeout);
            EXPECT_EQ(member.session->last_event().state, connected);
            EXPECT_EQ(member.events.size(), 3u) << "suspended in between, and never lost; seed " << seed;
        }
    }
}

/// docs/guarantees.md has these figures. With one server, a pause follows each attempt.
TEST(SessionFleet, AShortSilenceOfTheNetworkCostsNoLock) {
    for (const auto& [heartbeats, endured] :
         {std::pair(Heartbeats::frequent, Member::timeout * 3 / 8), std::pair(Heartbeats::relaxed, Member::timeout / 6)}) {
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            for (int quarters = 1; quarters <= 4; ++quarters) {
                Member member(
                    {.servers = {{"127.0.0.1", 1}}, .timeout = Member::timeout, .heartbeats = heartbeats, .random_seed = seed},
                    seed);
                member.session->set_frequent_heartbeats(true);
                member.session->start();
                member.loop.run_for(3 * Member::timeout + std::chrono::milliseconds{seed * 10});
                member.service.stall_up(2 * Member::timeout); // the kernels repeat lost packets too late
                member.service.stall_down(2 * Member::timeout);
                member.service.accepts = false;
                member.loop.run_for(endured * quarters / 4 - 10ms);
                member.service.accepts = true;
                member.loop.run_for(Member::timeout);
                EXPECT_EQ(member.session->last_event().state, connected);
                EXPECT_EQ(member.events.size(), 3u)
                    << "suspended in between, and never lost; seed " << seed << ", quarters " << quarters;
            }
        }
    }
}

class RelaxedSession : public ::testing::Test, protected test::FakeSession {
protected:
    RelaxedSession() : FakeSession(0, Heartbeats::relaxed) {}
};

TEST_F(RelaxedSession, SendsSixteenHeartbeatsInThreeTimeoutsWhateverItHolds) {
    start();
    loop.run_for(timeout);
    for (const bool holds : {false, true}) {
        session->set_frequent_heartbeats(holds);
        const int before = heartbeats_sent;
        loop.run_for(30 * timeout);
        EXPECT_NEAR(heartbeats_sent - before, 160, 1);
    }
    EXPECT_EQ(events.size(), 1u) << "the session was never in doubt";
}

/// The bound of a connection that was just made passes earlier than the bound between two later heartbeats.
TEST_F(RelaxedSession, SendsTheFirstHeartbeatsOfEachConnectionEarly) {
    session->start();
    for (int connection = 0; connection < 2; ++connection) {
        ASSERT_TRUE(run_until([&] { return session->last_event().state == connected; }));
        const int before = heartbeats_sent;
        loop.run_for(timeout * 6 / 16 + 10ms);
        EXPECT_EQ(heartbeats_sent - before, 3) << "on connection " << connection;
        loop.run_for(2 * timeout);
        service.cut(false);
        ASSERT_TRUE(run_until([&] { return session->last_event().state != connected; }));
    }
}

TEST_F(RelaxedSession, ASilentServerIsLeftInTimeAtAnyMoment) {
    start();
    for (int i = 0; i < 80; ++i) {
        loop.run_for(2 * timeout + i * timeout / 80);
        if (i % 2 == 1) { // a follower answers without the leader, so the bound does not move
            submit(zk::GetRequest{"/a"});
            loop.run_for(10ms);
        }
        const auto before = client.connections_made;
        service.stall_down(3 * timeout); // of this connection, not of the next
        loop.run_for(timeout);
        EXPECT_GT(client.connections_made, before);
        EXPECT_EQ(session->last_event().state, connected);
    }
    EXPECT_TRUE(std::none_of(events.begin(), events.end(), [](const SessionEvent& each) { return each.state == lost; }));
}

TEST_F(RelaxedSession, AnAnswerThatIsLateCostsNeitherTheConnectionNorTheSession) {
    start();
    for (int i = 0; i < 40; ++i) {
        loop.run_for(2 * timeout + i * timeout / 40);
        service.stall_down(timeout / 9);
    }
    EXPECT_EQ(client.connections_made, 1u);
    EXPECT_EQ(events.size(), 1u);
}

/// Otherwise a fleet would connect to slow servers again and again.
TEST_F(RelaxedSession, ServersThatAreOnlySlowAreLeftOnce) {
    start();
    loop.run_for(2 * timeout);
    service.latency = [] { return timeout / 10; }; // an answer takes T/5
    loop.run_for(20 * timeout);
    EXPECT_GE(client.connections_made, 2u);
    EXPECT_LE(client.connections_made, 3u) << "the first attempt after a loss is too short for such a latency";
    service.latency = [] { return 1ms; };
    loop.run_for(2 * timeout);
    ASSERT_TRUE(run_to_heartbeat());
    loop.run_for(10ms); // the heartbeat is answered in time
    const auto made = client.connections_made;
    service.stall_down(3 * timeout);
    loop.run_for(timeout / 3); // more than 3/16 T + T/8, less than 3/16 T + T/4 (the doubled time)
    EXPECT_EQ(client.connections_made, made + 1) << "a silent server is left as early as before";
    EXPECT_EQ(session->last_event().state, connected);
}

TEST_F(RelaxedSession, ALossIsReportedAtTheBound) {
    start();
    loop.run_for(3 * timeout);
    ASSERT_TRUE(run_to_heartbeat());
    loop.run_for(10ms); // the heartbeat is answered
    service.accepts = false;
    service.stall_down(4 * timeout);
    loop.run_for(timeout * 19 / 48 - 30ms);
    EXPECT_NE(session->last_event().state, lost);
    loop.run_for(30ms);
    EXPECT_EQ(session->last_event().state, lost);
    EXPECT_TRUE(service.alive(session->last_event().session_id)) << "and long before the leader ends the session";
}

TEST_F(RelaxedSession, FindsALostEventWithinFourTimeouts) {
    start();
    int told = 0;
    const auto sink = zk::make_watch_sink([&told](const WatchEvent&) { ++told; });
    submit(zk::GetRequest{"/a", sink});
    loop.run_for(1s);
    service.lose_events = 1;
    service.change("/a");
    loop.run_for(2 * timeout);
    EXPECT_EQ(told, 0) << "looks are rare";
    loop.run_for(2 * timeout);
    EXPECT_EQ(told, 1);
}

class SessionEvents : public SessionOnFake {
protected:
    void on_session_event(const SessionEvent& event) override {
        SessionOnFake::on_session_event(event);
        EXPECT_TRUE(event.state != connected || session->clock()->valid_at(loop.now()));
    }
};

/// After a stall of this process, the leader's first answer proves only requests that it answered long before the stall.
TEST_F(SessionEvents, PresumedLossLastsUntilAnAnswerMovesTheBoundBeyondNow) {
    start();
    submit(zk::GetRequest{"/a"}); // answered during the stall, so that the connection survives it
    loop.stand_still(timeout * 7 / 10);
    loop.run_for(timeout / 2);
    ASSERT_GE(events.size(), 3u);
    EXPECT_EQ(events[1], (SessionEvent{lost, 1, events[0].session_id, error::not_connected}));
    EXPECT_EQ(session->last_event(), events[0]);
    EXPECT_EQ(client.connections_made, 1u);
}

TEST_F(SessionOnFake, WithoutATimerItWaitsForOneAndSaysWhy) {
    loop.out_of_descriptors = true;
    session->start();
    loop.run_for(5s);
    EXPECT_EQ(session->last_event().state, connecting);
    EXPECT_NE(last_error.find("Too many open files"), std::string::npos) << last_error;
    EXPECT_EQ(client.handles(), 0u);
    loop.out_of_descriptors = false;
    loop.run_for(2s);
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_EQ(last_error, "");
}

TEST_F(SessionOnFake, WithoutADescriptorToDropASilentConnectionByTheHeartbeatsGoOn) {
    start();
    loop.out_of_descriptors = true;
    service.cut(false);
    loop.run_for(1s);
    ASSERT_EQ(session->last_event().state, connected);
    client.next_send = ZSYSTEMERROR; // one heartbeat is never answered
    loop.run_for(10 * timeout);
    EXPECT_EQ(session->last_event().state, connected);
    EXPECT_TRUE(session->clock()->valid_at(loop.now()));
}

TEST_F(SessionOnFake, WithoutAHandleItTriesAgainAndSaysWhy) {
    client.out_of_descriptors = true;
    session->start();
    loop.run_for(5s);
    EXPECT_NE(last_error.find("Too many open files"), std::string::npos) << last_error;
    client.out_of_descriptors = false;
    loop.run_for(2s);
    EXPECT_EQ(session->last_event().state, connected);
}

} // namespace
} // namespace docent::session
