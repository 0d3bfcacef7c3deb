// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/service.hpp"

#include <docent/error.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace docent::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t ephemeral = 1;
constexpr std::int32_t with_ttl = 5;

constexpr std::int32_t number_of(Opcode opcode) {
    return static_cast<std::int32_t>(opcode);
}

class RecordingPeer final : public Peer {
public:
    void send(std::string frame) override {
        if (!closed) frames.push_back(std::move(frame));
    }
    void flush() override {}
    void cut() override { closed = true; }
    bool has_room() const override { return room; }

    std::vector<std::string> frames;
    bool room = true;
};

/// The bytes of a create in a transaction or alone.
std::string create_body(const std::string& path, std::int32_t mode, std::chrono::milliseconds ttl = {}) {
    JuteWriter writer;
    writer.text(path).text("").acl(open_acl()).number(mode);
    if (mode == with_ttl) writer.long_number(ttl.count());
    return writer.take();
}

/// A transaction of operations, each with its opcode.
std::string multi_body(const std::vector<std::pair<Opcode, std::string>>& operations) {
    JuteWriter writer;
    for (const auto& [opcode, body] : operations) writer.number(number_of(opcode)).flag(false).number(-1).raw(body);
    return writer.number(-1).flag(true).number(-1).take();
}

class MemoryServiceTest : public ::testing::Test {
protected:
    struct Session {
        std::int64_t id;
        std::string password;
    };
    Session connect(RecordingPeer& peer, std::int64_t id = 0, const std::string& password = std::string(16, '\0')) {
        service.add(peer);
        service.on_frame(peer,
                         JuteWriter().number(0).long_number(0).number(4000).long_number(id).text(password).flag(false).take());
        JuteReader reader(peer.frames.at(0));
        reader.number(); // the protocol's version
        reader.number(); // the session timeout
        Session session{};
        session.id = reader.long_number();
        session.password = reader.text();
        return session;
    }
    /// Sends a request. Returns the error of its reply, and keeps the body of the reply in `answer`.
    std::int32_t ask(RecordingPeer& peer, Opcode opcode, const std::string& body) {
        constexpr std::int32_t xid = 7;
        constexpr std::size_t header_size = 16;
        service.on_frame(peer, JuteWriter().number(xid).number(number_of(opcode)).raw(body).take());
        answer = peer.frames.back().substr(header_size);
        JuteReader reader(peer.frames.back());
        EXPECT_EQ(reader.number(), xid);
        reader.long_number();
        return reader.number();
    }
    std::int32_t create(RecordingPeer& peer, const std::string& path, std::int32_t mode = 0) {
        return ask(peer, Opcode::create, create_body(path, mode));
    }
    std::int32_t exists(RecordingPeer& peer, const std::string& path) {
        return ask(peer, Opcode::exists, JuteWriter().text(path).flag(false).take());
    }
    void pass(std::chrono::milliseconds time) {
        now += time;
        service.ensemble().tick(now);
    }

    std::chrono::milliseconds now{0};
    MemoryService service{{.servers = 3}, [this] { return now; }};
    std::string answer; // of the last request
};

TEST_F(MemoryServiceTest, WrongPasswordDoesNotExtendASession) {
    RecordingPeer first;
    const Session session = connect(first);
    pass(3900ms);
    RecordingPeer second;
    const Session refused = connect(second, session.id, std::string(16, 'x'));
    EXPECT_EQ(refused.id, 0);
    EXPECT_TRUE(second.closed);
    EXPECT_FALSE(first.closed) << "the session stays where it is";
    pass(700ms);
    EXPECT_FALSE(service.ensemble().is_alive(session.id));
}

TEST_F(MemoryServiceTest, ANewSessionSeesAllEarlierChanges) {
    RecordingPeer writer;
    RecordingPeer reader;
    reader.server = 1;
    connect(writer);
    service.ensemble().set_lagging(1, true);
    EXPECT_EQ(create(writer, "/a"), 0);
    connect(reader);
    EXPECT_EQ(exists(reader, "/a"), 0);
    EXPECT_EQ(create(writer, "/b"), 0);
    EXPECT_NE(exists(reader, "/b"), 0) << "the server lags on";
}

TEST_F(MemoryServiceTest, AnEndedSessionGetsNoEvents) {
    RecordingPeer stalled;
    RecordingPeer writer;
    const Session session = connect(stalled);
    connect(writer);
    EXPECT_EQ(create(writer, "/a"), 0);
    EXPECT_EQ(ask(stalled, Opcode::get, JuteWriter().text("/a").flag(true).take()), 0);
    EXPECT_TRUE(service.set_stalled(session.id, true));
    EXPECT_TRUE(service.ensemble().end_session(session.id));
    EXPECT_EQ(service.watch_count(0), 0U);
    const auto frames = stalled.frames.size();
    EXPECT_EQ(ask(writer, Opcode::set, JuteWriter().text("/a").text("x").number(-1).take()), 0);
    EXPECT_EQ(stalled.frames.size(), frames);
}

TEST_F(MemoryServiceTest, AFollowerThatLagsAndThenLeadsKnowsEverything) {
    RecordingPeer writer;
    connect(writer);
    ASSERT_EQ(service.ensemble().leader(), 2U);
    service.ensemble().set_lagging(1, true);
    EXPECT_EQ(create(writer, "/a"), 0);
    service.stop(2);
    ASSERT_EQ(service.ensemble().leader(), 1U);
    RecordingPeer other;
    connect(other);
    EXPECT_EQ(create(other, "/b"), 0);
    RecordingPeer reader;
    reader.server = 1;
    connect(reader);
    EXPECT_EQ(create(other, "/c"), 0);
    EXPECT_EQ(exists(reader, "/c"), 0) << "it lags no more";
}

TEST_F(MemoryServiceTest, RequestsWaitUntilTheClientHasReadItsAnswers) {
    RecordingPeer peer;
    connect(peer);
    peer.room = false;
    service.on_frame(peer, JuteWriter().number(7).number(number_of(Opcode::create)).raw(create_body("/a", 0)).take());
    EXPECT_EQ(peer.frames.size(), 1U) << "the answer to the handshake";
    peer.room = true;
    service.handle_waiting_frames(peer);
    EXPECT_EQ(peer.frames.size(), 2U);
}

TEST_F(MemoryServiceTest, PasswordsAreRandom) {
    RecordingPeer first;
    RecordingPeer second;
    EXPECT_NE(connect(first).password, connect(second).password);
}

TEST_F(MemoryServiceTest, AHeartbeatToAnyServerKeepsTheSession) {
    RecordingPeer peer;
    peer.server = 1;
    const Session session = connect(peer);
    for (int i = 0; i < 10; ++i) {
        pass(3s);
        service.on_frame(peer, JuteWriter().number(-2).number(number_of(Opcode::ping)).take());
    }
    EXPECT_TRUE(service.ensemble().is_alive(session.id));
}

TEST_F(MemoryServiceTest, ClosedSessionIsGoneOnItsLaggingServer) {
    RecordingPeer peer;
    RecordingPeer reader;
    peer.server = reader.server = 1;
    const Session session = connect(peer);
    connect(reader);
    EXPECT_EQ(create(peer, "/a", ephemeral), 0);
    service.ensemble().set_lagging(1, true);
    EXPECT_EQ(ask(peer, Opcode::close_session, ""), 0);
    EXPECT_TRUE(peer.closed);
    EXPECT_EQ(exists(reader, "/a"), static_cast<std::int32_t>(server_error::no_node));
    RecordingPeer again;
    again.server = 1;
    EXPECT_EQ(connect(again, session.id, session.password).id, 0);
}

TEST_F(MemoryServiceTest, ATtlNeedsExtendedTypesAlsoInATransaction) {
    RecordingPeer peer;
    connect(peer);
    const auto refused = static_cast<std::int32_t>(server_error::unimplemented);
    EXPECT_EQ(ask(peer, Opcode::create_ttl, create_body("/t", with_ttl, 1h)), refused);
    EXPECT_EQ(ask(peer, Opcode::multi, multi_body({{Opcode::create_ttl, create_body("/t", with_ttl, 1h)}})), 0)
        << "the errors are in the results";
    JuteReader results(answer);
    EXPECT_EQ(results.number(), -1);
    EXPECT_FALSE(results.flag());
    EXPECT_EQ(results.number(), refused);
}

TEST_F(MemoryServiceTest, FailedTransactionLeavesNoTrace) {
    RecordingPeer peer;
    const Session session = connect(peer);
    const auto before = service.ensemble().truth().zxid();
    ask(peer, Opcode::multi,
        multi_body(
            {{Opcode::create, create_body("/a", ephemeral)}, {Opcode::check, JuteWriter().text("/none").number(-1).take()}}));
    EXPECT_EQ(exists(peer, "/a"), static_cast<std::int32_t>(server_error::no_node));
    EXPECT_TRUE(service.ensemble().truth().nodes_of(session.id).empty());
    EXPECT_EQ(service.ensemble().truth().find("/")->children_made, 0);
    EXPECT_EQ(service.ensemble().truth().zxid(), before);
}

TEST_F(MemoryServiceTest, ChildrenAreNotSorted) {
    RecordingPeer peer;
    connect(peer);
    create(peer, "/p");
    for (char name = 'a'; name <= 'z'; ++name) create(peer, std::string("/p/") + name);
    EXPECT_EQ(ask(peer, Opcode::children, JuteWriter().text("/p").flag(false).take()), 0);
    const auto names = JuteReader(answer).texts();
    EXPECT_EQ(names.size(), 26U);
    EXPECT_FALSE(std::is_sorted(names.begin(), names.end()));
}

TEST_F(MemoryServiceTest, KnowsDigestButNotSasl) {
    RecordingPeer peer;
    connect(peer);
    EXPECT_EQ(detail::digest_identity("super:test").id, "super:D/InIHSb7yEEbrWz8b9l71RjZJU=") << "as in ZooKeeper's pages";
    EXPECT_EQ(ask(peer, Opcode::auth, JuteWriter().number(0).text("sasl").text("").take()),
              static_cast<std::int32_t>(server_error::auth_failed));
    EXPECT_TRUE(peer.closed);
}

} // namespace
} // namespace docent::testing
