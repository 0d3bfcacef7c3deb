// SPDX-License-Identifier: Apache-2.0

// Servers that send garbage, incomplete frames, wrong lengths, wrong answers, or nothing, with TLS and without: calls end in
// time, the client does not crash, and its memory does not grow.

#include "clients.hpp"
#include "eventually.hpp"
#include "folder.hpp"
#include "hostile_server.hpp"
#include "testing/process/certificates.hpp"

#include <docent/client.hpp>
#include <docent/recipes/cache/path_children_cache.hpp>
#include <docent/transaction.hpp>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace docent {
namespace {

using namespace std::chrono_literals;
using namespace docent::test;

constexpr auto longest = 30s; // far longer than any of these calls may take, also on a busy machine

enum class Way { plain, tls };

class HostileServerTest : public ::testing::TestWithParam<Way> {
protected:
    /// The folder with the servers' certificates; empty without TLS.
    static std::filesystem::path certificates() {
        struct Certificates {
            Certificates() { docent::testing::write_certificates(folder.path()); }
            Folder folder;
        };
        static const Certificates made;
        return GetParam() == Way::tls ? made.folder.path() : std::filesystem::path();
    }
    static HostileServer serve(HostileServer::Talk talk) { return HostileServer(std::move(talk), certificates()); }
    static ClientConfig config_for(const HostileServer& server) {
        ClientConfig config{.connect_string = server.connect_string(),
                            .session_timeout = 2s,
                            .connection_timeout = 150ms,
                            .retry_policy = RetryPolicy::none(),
                            .ensemble_tracking = EnsembleTracking::off};
        if (GetParam() == Way::tls) config.tls = TlsConfig{.ca_file = certificates() / "ca.pem"};
        return config;
    }
    /// The same with a session timeout that a slow but valid answer does not exceed.
    static ClientConfig patient_config_for(const HostileServer& server) {
        ClientConfig config = config_for(server);
        config.session_timeout = longest;
        return config;
    }
};

INSTANTIATE_TEST_SUITE_P(Through, HostileServerTest, ::testing::Values(Way::plain, Way::tls),
                         [](const auto& way) { return way.param == Way::tls ? "Tls" : "Tcp"; });

/// The error of the call, which must come in time.
error_code outcome_of(Client& client, const std::function<void(Client&, error_code&)>& call) {
    const auto begin = std::chrono::steady_clock::now();
    error_code ec;
    call(client, ec);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, longest);
    return ec;
}

std::size_t resident_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
    }
    return 0;
}

TEST_P(HostileServerTest, NoGreetingOfItsKindMakesAConnection) {
    const std::map<std::string, std::string> greetings = {
        {"garbage", std::string(200, '\xa5')},
        {"a web server", "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"},
        {"zeros", std::string(100, '\0')},
        {"a negative length", wire(-1) + std::string(40, 'x')},
        {"a huge length", wire(std::numeric_limits<std::int32_t>::max()) + std::string(40, 'x')},
        {"a length of nothing", wire(0) + std::string(40, 'x')},
        {"half of it", wire_greeting().substr(0, 20)},
        {"less than a length", "ab"},
        {"no time", wire_greeting({.timeout = 0})},
        {"less than no time", wire_greeting({.timeout = -5'000})},
        {"more time than can be counted", wire_greeting({.timeout = std::numeric_limits<std::int32_t>::max()})},
        {"the end of a session that never was", wire_greeting({.timeout = 0, .session = 0})},
        {"a password of another size", wire_greeting({.password_size = 1'000'000})},
    };
    for (const auto& [what, bytes] : greetings) {
        SCOPED_TRACE(what);
        for (const bool hangs_up : {true, false}) {
            HostileServer server =
                serve([&, &bytes = bytes](HostileServer::Line& line) { // Clang 14 captures no bindings by default
                    if (!line.read() || !line.write(bytes) || hangs_up) return;
                    line.wait_for_end();
                });
            Client client = started(config_for(server));
            EXPECT_EQ(outcome_of(client, [](Client& c, error_code& ec) { c.get("/a", ec); }), error::not_connected);
        }
    }
}

/// Bytes that arrive before the first request would be taken for its answer.
TEST_P(HostileServerTest, BytesBeforeTheFirstRequestAreRefused) {
    for (const auto& bytes :
         {wire_frame(wire_header(7)), wire_frame(std::string(50, 'x')), std::string("SSH-2.0-OpenSSH_9.2\r\n")}) {
        HostileServer server = serve([&](HostileServer::Line& line) {
            line.write(bytes);
            line.wait_for_end();
        });
        Client client = started(config_for(server));
        EXPECT_EQ(outcome_of(client, [](Client& c, error_code& ec) { c.get("/a", ec); }), error::not_connected);
    }
}

TEST_P(HostileServerTest, ASilentServerHoldsUpNoCall) {
    HostileServer mute = serve([](HostileServer::Line& line) { line.wait_for_end(); });
    HostileServer greets = serve([](HostileServer::Line& line) {
        if (line.read() && line.write(wire_greeting())) line.wait_for_end();
    });
    for (const HostileServer* server : {&mute, &greets}) {
        Client client = started(config_for(*server));
        error_code ec;
        const auto begin = std::chrono::steady_clock::now();
        client.get("/a", ec, {.timeout = 300ms});
        EXPECT_TRUE(ec == error::not_connected || ec == condition::outcome_unknown) << ec.message();
        EXPECT_LT(std::chrono::steady_clock::now() - begin, longest);
    }
}

/// Replacements for the answer to a read of a node.
std::map<std::string, std::function<std::string(const WireRequest&)>> bad_answers() {
    const auto framed = [](std::string body) {
        return [body](const WireRequest& r) { return wire_frame(wire_header(r.xid) + body); };
    };
    const auto raw = [](std::string bytes) { return [bytes](const WireRequest&) { return bytes; }; };
    return {
        {"nothing behind the header", framed("")},
        {"half a stat", framed(wire_text("data") + wire_stat().substr(0, 30))},
        {"data of negative size", framed(wire(-5) + wire_stat())},
        {"data longer than the frame", framed(wire(1'000'000) + wire_stat())},
        {"data longer than memory", framed(wire(std::numeric_limits<std::int32_t>::max()) + wire_stat())},
        {"no whole header", raw(wire_frame("short"))},
        {"an empty frame", raw(wire_frame(""))},
        {"a negative length", raw(wire(-4))},
        {"a huge length", raw(wire(std::numeric_limits<std::int32_t>::max()) + "x")},
        {"a length that is a little too long", raw(wire(70 << 20) + std::string(5'000, 'x'))},
        {"half a length", raw("ab")},
        {"garbage", raw(std::string(3'000, '\xa5'))},
        {"the answer to another request",
         [](const WireRequest& r) { return wire_frame(wire_header(r.xid + 7) + wire_text("d") + wire_stat()); }},
        {"two answers",
         [](const WireRequest& r) {
             const auto answer = wire_frame(wire_header(r.xid) + wire_text("d") + wire_stat());
             return answer + answer;
         }},
        {"an event without a path",
         [](const WireRequest&) { return wire_frame(wire_header(-1) + wire(1) + wire(3) + wire(-1)); }},
        {"an event of the session",
         [](const WireRequest&) { return wire_frame(wire_header(-1) + wire(-1) + wire(-112) + wire_text("")); }},
        {"an event whose path is not there",
         [](const WireRequest&) { return wire_frame(wire_header(-1) + wire(1) + wire(3) + wire(99)); }},
    };
}

TEST_P(HostileServerTest, NoAnswerOfItsKindCrashesUs) {
    for (const auto& [what, answer] : bad_answers()) {
        SCOPED_TRACE(what);
        HostileServer server = serve(answers_with(answer));
        Client client = started(config_for(server));
        client.wait_connected({.timeout = longest});
        for (int i = 0; i < 3; ++i) { // each time over a new connection
            const auto ec = outcome_of(client, [](Client& c, error_code& e) { c.get("/a", e, {.timeout = 3s}); });
            if (!ec) EXPECT_EQ(what, "two answers");
            else if (ec == error::reply_too_large) EXPECT_NE(what.find("length"), std::string::npos);
            else EXPECT_TRUE(ec == condition::outcome_unknown || ec == error::not_connected) << ec.message();
        }
        client.close();
    }
}

/// Lists, ACLs, paths and the results of a transaction contain lengths, too.
TEST_P(HostileServerTest, NoKindOfRequestBelievesLengths) {
    using Call = std::function<void(Client&, error_code&)>;
    const Call list = [](Client& c, error_code& ec) { c.children("/a", ec); };
    const Call acl = [](Client& c, error_code& ec) { c.get_acl("/a", ec); };
    const Call create = [](Client& c, error_code& ec) { c.create("/a", "x", {.acl = open_acl()}, ec); };
    const Call set = [](Client& c, error_code& ec) { c.set("/a", "x", ec); };
    const Call commit = [](Client& c, error_code& ec) {
        Transaction transaction;
        transaction.create("/a", "x").set_data("/b", "y").remove("/c");
        c.commit(transaction, ec);
    };
    const std::string more = wire(1) + '\0' + wire(0); // says that another result follows
    const std::string end = wire(-1) + '\1' + wire(-1);
    const std::string huge = wire(std::numeric_limits<std::int32_t>::max());
    const std::vector<std::tuple<std::string, Call, std::string>> cases = {
        {"names without end", list, huge + wire_stat()},
        {"fewer than no names", list, wire(-1) + wire_stat()},
        {"a name of negative size", list, wire(1) + wire(-1) + wire_stat()},
        {"entries without end", acl, huge + wire_stat()},
        {"an entry without scheme", acl, wire(1) + wire(31) + wire(-1) + wire(-1) + wire_stat()},
        {"a path of negative size", create, wire(-1) + wire_stat()},
        {"a path that is not there", create, huge + wire_stat()},
        {"no stat", set, ""},
        {"no results", commit, end},
        {"too few results", commit, more + wire_text("/a") + end},
        {"too many results", commit, more + wire_text("/a") + more + wire_stat() + more + more + wire_stat() + end},
        {"results that do not end", commit, more + wire_text("/a") + more + wire_stat() + more},
        {"a result that is cut off", commit, more + huge},
    };
    for (const auto& [what, call, body] : cases) {
        SCOPED_TRACE(what);
        HostileServer server =
            serve(answers_with([&body = body](const WireRequest& r) { return wire_frame(wire_header(r.xid) + body); }));
        Client client = started(config_for(server));
        client.wait_connected({.timeout = longest});
        const auto ec = outcome_of(client, call);
        EXPECT_TRUE(ec == condition::outcome_unknown) << ec.message();
    }
}

TEST_P(HostileServerTest, AnUnexpectedFrameEndsTheConnectionOnly) {
    std::atomic<int> talks = 0;
    HostileServer server = serve([&](HostileServer::Line& line) {
        if (!line.read() || !line.write(wire_greeting())) return;
        if (++talks <= 3) line.write(wire_frame(wire_header(1'234'567) + wire_text("x") + wire_stat()));
        line.wait_for_end();
    });
    Client client = started(config_for(server));
    EXPECT_TRUE(eventually([&] { return talks > 3; }));
}

/// ZooKeeper was seen to do this: it had ended a session and kept the connection.
TEST_P(HostileServerTest, AnExpiredSessionIsBelievedOnAnOpenConnection) {
    std::atomic<bool> refused = false;
    HostileServer server = serve(answers_with([&](const WireRequest& r) {
        if (!refused.exchange(true))
            return wire_frame(wire_header(r.xid, static_cast<std::int32_t>(server_error::session_expired)));
        return wire_frame(wire_header(r.xid) + wire_stat());
    }));
    Client client = started(config_for(server));
    client.wait_connected({.timeout = longest});
    EXPECT_EQ(outcome_of(client, [](Client& c, error_code& ec) { c.set("/a", "x", ec); }), server_error::session_expired);
    EXPECT_TRUE(eventually([&] { return client.session().epoch == 2 && client.session().state == SessionState::connected; }));
    EXPECT_FALSE(outcome_of(client, [](Client& c, error_code& ec) { c.set("/a", "x", ec); }));
}

/// Accepts the session of a client with patient_config_for(), and answers each read of a node with this data. `write` sends an
/// answer.
HostileServer::Talk talks_soundly(const std::string& data, bool (HostileServer::Line::*write)(std::string_view)) {
    return [data, write](HostileServer::Line& line) {
        if (!line.read() || !(line.*write)(wire_greeting({.timeout = 30'000}))) return;
        while (const auto frame = line.read()) {
            const WireRequest request = wire_request(*frame);
            if (request.opcode == close_opcode) return;
            const bool reads = request.opcode != sync_opcode && request.opcode != ping_opcode;
            const std::string body = reads                           ? wire_text(data) + wire_stat()
                                     : request.opcode == sync_opcode ? wire_text("/")
                                                                     : "";
            if (!(line.*write)(wire_frame(wire_header(request.xid) + body))) return;
        }
    };
}

/// Frames in pieces are valid: networks split them.
TEST_P(HostileServerTest, AnswersInManyPiecesAreAnswers) {
    const std::string data(2'000, 'd');
    HostileServer server = serve(talks_soundly(data, &HostileServer::Line::trickle));
    Client client = started(patient_config_for(server));
    client.wait_connected({.timeout = longest});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/a", {}, {.timeout = longest}).data, data);
}

TEST_P(HostileServerTest, AnswersLongerThanRequestsMayBeAreRead) {
    const std::string data(1'900'000, 'd');
    HostileServer server = serve(talks_soundly(data, &HostileServer::Line::write));
    Client client = started(patient_config_for(server));
    client.wait_connected({.timeout = longest});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/a", {}, {.timeout = longest}).data.size(), data.size());
}

/// A socket's receive buffer holds at most half of the largest `tcp_rmem`.
TEST_P(HostileServerTest, AListThatNoSocketCanHoldIsReadAndTheConnectionGoesOn) {
    std::size_t least = 0, usual = 0, most = 0;
    std::ifstream("/proc/sys/net/ipv4/tcp_rmem") >> least >> usual >> most;
    const std::string name(1000, 'n');
    const auto count = static_cast<std::int32_t>(std::min<std::size_t>(most / 2 + (1U << 20U), 60U << 20U) / (4 + name.size()));
    std::string list = wire(count);
    for (std::int32_t i = 0; i < count; ++i) list += wire_text(name);
    HostileServer server = serve([&](HostileServer::Line& line) {
        if (!line.read() || !line.write(wire_greeting({.timeout = 120'000}))) return;
        while (const auto frame = line.read()) {
            const WireRequest request = wire_request(*frame);
            const std::string body = request.opcode == sync_opcode ? wire_text("/") : list + wire_stat();
            if (!line.write(wire_frame(wire_header(request.xid) + body))) return;
        }
    });
    auto config = config_for(server);
    config.session_timeout = 120s;
    Client client = started(config);
    client.wait_connected({.timeout = longest});
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(client.children("/a", {.timeout = longest}).names.size(), static_cast<std::size_t>(count));
    }
    EXPECT_EQ(server.connections(), 1);
}

TEST_P(HostileServerTest, AListLargerThanTheLimitEndsTheCallAndNotTheConnection) {
    constexpr std::int32_t size = (64 << 20) + 1'000;
    HostileServer server = serve([&](HostileServer::Line& line) {
        if (!line.read() || !line.write(wire_greeting({.timeout = 120'000}))) return;
        const std::string piece(1U << 20U, 'x');
        while (const auto frame = line.read()) {
            const WireRequest request = wire_request(*frame);
            if (request.opcode == sync_opcode) {
                if (!line.write(wire_frame(wire_header(request.xid) + wire_text("/")))) return;
                continue;
            }
            if (!line.write(wire(size) + wire_header(request.xid))) return;
            for (std::size_t left = size - 16; left > 0; left -= std::min(left, piece.size())) {
                if (!line.write(std::string_view(piece).substr(0, std::min(left, piece.size())))) return;
            }
        }
    });
    auto config = config_for(server);
    config.session_timeout = 120s;
    Client client = started(config);
    client.wait_connected({.timeout = longest});
    for (int i = 0; i < 2; ++i) {
        const auto ec = outcome_of(client, [](Client& c, error_code& e) { c.children("/a", e, {.timeout = longest}); });
        EXPECT_EQ(ec, error::reply_too_large);
        EXPECT_EQ(ec.message(), "the answer has 65 MiB, more than this client reads (64 MiB)");
    }
    EXPECT_EQ(server.connections(), 1);
}

constexpr auto timeout_of_slow_lists = 8s;

/// Accepts a session of `timeout_of_slow_lists`. Answers each request for a list of children with a list of 20 MiB that never
/// comes to its end. Other requests get their answers. Counts the requests for lists.
HostileServer::Talk sends_lists_slowly(std::atomic<int>& lists) {
    return [&lists](HostileServer::Line& line) {
        if (!line.read() || !line.write(wire_greeting({.timeout = timeout_of_slow_lists / 1ms}))) return;
        while (const auto frame = line.read()) {
            const WireRequest request = wire_request(*frame);
            if (request.opcode == close_opcode) return;
            if (request.opcode == list_opcode) {
                ++lists;
                bool open = line.write(wire(20 << 20) + wire_header(request.xid));
                for (const std::string piece(100, 'x'); open && !line.stopped(); open = line.write(piece)) {
                    std::this_thread::sleep_for(10ms); // the network is slow
                }
                return;
            }
            const bool reads = request.opcode != sync_opcode && request.opcode != ping_opcode;
            const std::string body = reads ? wire_stat() : request.opcode == sync_opcode ? wire_text("/") : "";
            if (!line.write(wire_frame(wire_header(request.xid) + body))) return;
        }
    };
}

/// The client has asked for the list at least twice. After that, it refuses the list without asking for a time of 3 T. On a
/// busy machine, connections also end for other reasons, so the number of lists says nothing (but see LateAnswersTest).
void expect_not_asked_for_again(Client& client, const std::atomic<int>& lists) {
    const int asked = lists;
    EXPECT_GE(asked, 2);
    const auto ec = outcome_of(client, [](Client& c, error_code& e) { c.children("/a", e, {.timeout = longest}); });
    EXPECT_EQ(ec, error::reply_too_large) << ec.message();
    EXPECT_EQ(lists, asked);
}

/// The bytes of the list keep back the answers to heartbeats.
TEST_P(HostileServerTest, AListThatTakesTooLongTwiceIsNotAskedForAgain) {
    std::atomic<int> lists = 0;
    HostileServer server = serve(sends_lists_slowly(lists));
    auto config = config_for(server);
    config.session_timeout = timeout_of_slow_lists;
    config.connection_timeout = longest;
    config.retry_policy = RetryPolicy::forever(10ms);
    Client client = started(config);
    const auto ec = outcome_of(client, [](Client& c, error_code& e) { c.children("/a", e, {.timeout = longest}); });
    EXPECT_EQ(ec, error::reply_too_large) << ec.message();
    EXPECT_NE(ec.message().find("the answer has 20 MiB and takes longer"), std::string::npos) << ec.message();
    expect_not_asked_for_again(client, lists);
    EXPECT_TRUE(client.exists("/b", {.timeout = longest})) << "the connection serves other requests";
    EXPECT_EQ(client.session().epoch, 1U) << "the session goes on";
}

/// A cache ignores answers from before a reconnect, and asks again after it.
TEST_P(HostileServerTest, ACacheReportsAListThatTakesTooLong) {
    std::atomic<int> lists = 0;
    HostileServer server = serve(sends_lists_slowly(lists));
    auto config = config_for(server);
    config.session_timeout = timeout_of_slow_lists;
    config.connection_timeout = longest;
    Client client = started(config);
    PathChildrenCache cache(client, "/a");
    const auto ec = outcome_of(client, [&](Client&, error_code& e) { cache.start(e, {.timeout = longest}); });
    EXPECT_EQ(ec, error::reply_too_large) << ec.message();
    expect_not_asked_for_again(client, lists);
}

TEST_P(HostileServerTest, ConnectionThatBreaksWithinAnAnswerLargerThanTheLimitIsFollowedByAnother) {
    std::atomic<bool> broken = false;
    HostileServer server = serve([&](HostileServer::Line& line) {
        if (!line.read() || !line.write(wire_greeting())) return;
        while (const auto frame = line.read()) {
            const WireRequest request = wire_request(*frame);
            const bool reads = request.opcode != sync_opcode && request.opcode != ping_opcode;
            if (reads && !broken.exchange(true)) {
                line.write(wire(65 << 20) + wire_header(request.xid) + std::string(1'000, 'x'));
                return;
            }
            const std::string body = reads ? wire_text("d") + wire_stat() : request.opcode == sync_opcode ? wire_text("/") : "";
            if (!line.write(wire_frame(wire_header(request.xid) + body))) return;
        }
    });
    Client client = started(config_for(server));
    client.wait_connected({.timeout = longest});
    const auto ec = outcome_of(client, [](Client& c, error_code& e) { c.get("/a", e, {.timeout = longest}); });
    EXPECT_EQ(ec, condition::outcome_unknown) << ec.message();
    EXPECT_TRUE(eventually([&] {
        error_code again;
        return client.get("/a", again).data == "d";
    }));
}

/// A new session ends the old one at once, with requests in the C client's queue.
TEST_P(HostileServerTest, TheRequestThatEndsASessionArrivesBehindManyOthers) {
    std::atomic<bool> ended = false;
    HostileServer server = serve([&](HostileServer::Line& line) {
        if (!line.read() || !line.write(wire_greeting({.timeout = 30'000}))) return;
        while (const auto frame = line.read()) {
            if (wire_request(*frame).opcode != close_opcode) continue;
            ended = true;
            return;
        }
    });
    boost::asio::io_context context;
    {
        Client client(context.get_executor(), patient_config_for(server));
        client.start();
        bool connected = false;
        client.async_wait_connected(CallOptions{.timeout = longest}, [&](error_code ec) { connected = !ec; });
        while (!connected && context.run_one_for(longest) > 0) continue;
        ASSERT_TRUE(connected);
        for (int i = 0; i < 100; ++i) { // 2 MB: more than a pair of sockets holds, and less than TCP does
            client.async_set("/a", std::string(20'000, 'x'), SetOptions{}, [](error_code, const Stat&) {});
        }
        client.renew_session();
        EXPECT_TRUE(eventually([&] {
            context.poll();
            return ended.load();
        }));
        client.close();
    }
    context.run_for(longest);
}

/// Valid answers with some of their bytes changed.
TEST_P(HostileServerTest, AnswersWithWrongBytesAreRefused) {
    const auto random = std::make_shared<std::mt19937>(20'240'611U);
    HostileServer server = serve(answers_with([random](const WireRequest& r) {
        std::string body =
            wire_header(r.xid) + wire(3) + wire_text("one") + wire_text("two") + wire_text("three") + wire_stat();
        for (int i = 0; i < 3; ++i) body[(*random)() % body.size()] = static_cast<char>((*random)());
        std::string frame = wire_frame(body);
        if ((*random)() % 4 == 0) frame[(*random)() % 4] ^= static_cast<char>((*random)());
        if ((*random)() % 4 == 0) frame.resize((*random)() % frame.size());
        return frame;
    }));
    Client client = started(config_for(server));
    client.wait_connected({.timeout = longest});
    int answered = 0;
    for (int i = 0; i < 40; ++i) {
        error_code ec;
        client.children("/a", ec, {.timeout = 200ms});
        if (!ec) ++answered;
    }
    EXPECT_LT(answered, 40);
    client.close();
}

/// A length without data costs no memory, however often it is sent.
TEST_P(HostileServerTest, MemoryDoesNotGrowByClaimedLengths) {
    HostileServer server = serve(answers_with([](const WireRequest&) { return wire(50 << 20) + std::string(5'000, 'x'); }));
    Client client = started(config_for(server));
    client.wait_connected({.timeout = longest});
    const std::size_t before = resident_kib();
    for (int i = 0; i < 8; ++i) { // of another node each time: the client does not ask for such an answer for ever
        outcome_of(client, [i](Client& c, error_code& ec) { c.get("/" + std::to_string(i), ec, {.timeout = 2s}); });
    }
    EXPECT_LT(resident_kib(), before + 40 * 1024);
}

} // namespace
} // namespace docent
