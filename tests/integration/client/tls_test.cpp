// SPDX-License-Identifier: Apache-2.0

// TLS with a real server. tests/unit/zk/tls_test.cpp has the faults of certificates one by one.

#include "eventually.hpp"
#include "folder.hpp"
#include "handshake_tap.hpp"
#include "limits.hpp"
#include "testing/process/certificates.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/testing_server.hpp>

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::DescriptorLimit;
using docent::test::eventually;
using docent::test::Folder;
using docent::test::HandshakeTap;
using docent::test::open_descriptors;
using docent::test::TlsHello;
using docent::testing::CertificateTerms;
using docent::testing::TestingServer;
using docent::testing::write_certificates;

std::uint16_t tls_port(const TestingServer& server) {
    const std::string address = server.tls_connect_string();
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

class TlsServer : public ::testing::Test {
protected:
    TestingServer server{{.tick_time = 2s, .tls = true}};

    /// On a busy machine, a handshake takes seconds. The client gives up after a third of the session timeout.
    ClientConfig config() const {
        return {.connect_string = server.tls_connect_string(),
                .session_timeout = 30s,
                .connection_timeout = 60s,
                .tls = server.tls_config()};
    }
    Client plain() const { return Client{{.connect_string = server.connect_string()}}; }
    static void expect_fault(const char* what, const ClientConfig& with, const std::string& fault) {
        Client client(with);
        client.start();
        EXPECT_TRUE(eventually([&] { return client.last_connect_error().find(fault) != std::string::npos; }))
            << what << ": " << client.last_connect_error();
    }
};

TEST_F(TlsServer, LocksAndLargeAnswers) {
    Client client(config());
    client.start();
    Lease lease = InterProcessMutex(client, "/locks/job").acquire();
    Client other = plain();
    other.start();
    EXPECT_FALSE(InterProcessMutex(other, "/locks/job").try_acquire());
    lease.release();
    EXPECT_TRUE(InterProcessMutex(other, "/locks/job").try_acquire());

    const std::string large(900'000, 'x');
    client.create("/large", large);
    EXPECT_EQ(client.get("/large").data, large);
    for (int first = 0; first < 4000; first += 200) { // a busy machine answers larger transactions too late
        Transaction some;
        for (int i = first; i < first + 200; ++i) some.create("/large/a-node-with-a-long-name-" + std::to_string(i));
        client.commit(std::move(some));
    }
    EXPECT_EQ(client.children("/large").names.size(), 4000U);
}

TEST_F(TlsServer, CloseEndsTheSession) {
    Client other = plain();
    other.start();
    {
        Client client(config());
        client.start();
        client.create("/mine", "", {.mode = CreateMode::ephemeral});
        EXPECT_TRUE(other.exists("/mine"));
    }
    EXPECT_FALSE(other.exists("/mine"));
}

TEST_F(TlsServer, ClosesInTimeWhileTheServerStandsStill) {
    Client client(config());
    client.start();
    client.wait_connected();
    server.pause();
    const auto start = std::chrono::steady_clock::now();
    client.close();
    EXPECT_LT(std::chrono::steady_clock::now() - start, 8s); // it takes 5.5 s at most: 1 s, 3 s and 1.5 s
    server.resume();
}

TEST_F(TlsServer, ALeaseIsLostBeforeTheSessionOfASilentServerEnds) {
    constexpr std::chrono::milliseconds timeout = 12s;
    ClientConfig with = config();
    with.session_timeout = timeout;
    Client client(with);
    client.start();
    Lease lease = InterProcessMutex(client, "/locks/job").acquire();
    // Without an answered heartbeat, the bound passes 7/8 T after the session's start: at most 5/8 T after the pause.
    std::this_thread::sleep_for(timeout / 4);
    server.pause();
    const auto paused = std::chrono::steady_clock::now();    // each answer belongs to an earlier request
    std::this_thread::sleep_until(paused + timeout * 5 / 8); // the latest bound after an answered request
    EXPECT_FALSE(lease.owns());
    server.resume();
}

TEST_F(TlsServer, TheSessionContinuesAfterARestart) {
    Client client(config());
    client.start();
    client.create("/mine", "", {.mode = CreateMode::ephemeral});
    server.restart();
    client.wait_connected({.timeout = 60s});
    EXPECT_TRUE(client.exists("/mine"));
}

/// The server decides whether it resumes: ZooKeeper 3.9 makes new keys for each connection, and so never does.
TEST_F(TlsServer, AReconnectAsksToResumeTheSessionOfTls) {
    HandshakeTap tap(tls_port(server));
    ClientConfig with = config();
    with.connect_string = tap.connect_string();
    with.ensemble_tracking = EnsembleTracking::off; // so that it stays behind the tap
    Client client(with);
    client.start();
    EXPECT_TRUE(client.exists("/")); // the server sends its ticket before this answer
    tap.cut();
    ASSERT_TRUE(eventually([&] {
        error_code ec;
        return client.exists("/", ec) && tap.beginnings().size() > 1;
    }));
    const auto all = tap.beginnings();
    const auto has_ticket = [](const TlsHello& hello) {
        const auto ticket = hello.extensions.find(TlsHello::session_ticket); // of TLS 1.2
        return hello.has(TlsHello::pre_shared_key) || (ticket != hello.extensions.end() && !ticket->second.empty());
    };
    EXPECT_FALSE(has_ticket(all.front().client_hello()));
    const TlsHello asks = all.at(1).client_hello();
    const bool by_number = !asks.session_id.empty() && asks.session_id == all.front().server_hello().session_id;
    EXPECT_TRUE(has_ticket(asks) || by_number);
    RecordProperty("resumed", all.at(1).resumes() ? 1 : 0);
}

/// ZooKeeper names ports for TLS from 3.10 on, so this test writes the configuration of the ensemble itself.
TEST(TlsEnsemble, TheClientFollowsItToThePortsForTls) {
    TestingServer server({.tick_time = 2s, .tls = true, .java_options = {"-Dzookeeper.skipACL=yes"}});
    Client writer({.connect_string = server.connect_string(), .ensemble_tracking = EnsembleTracking::off});
    writer.start();
    writer.set("/zookeeper/config",
               "server.1=127.0.0.1:1:2:participant;" + server.connect_string() + ';' + server.tls_connect_string());
    HandshakeTap tap(tls_port(server));
    Client client({.connect_string = tap.connect_string(),
                   .session_timeout = 30s, // on a busy machine, a handshake takes seconds
                   .connection_timeout = 60s,
                   .tls = server.tls_config()});
    client.start();
    EXPECT_TRUE(client.exists("/"));
    EXPECT_TRUE(eventually([&] { // the client connects to the server itself, and no more through the tap
        const auto before = tap.beginnings().size();
        tap.cut();
        error_code ec;
        return client.exists("/", ec) && tap.beginnings().size() == before;
    })) << client.last_connect_error();
}

TEST_F(TlsServer, ANodeMayBelongToACertificate) {
    Client client(config());
    client.start();
    client.create("/private", "", {.acl = Acl{{Permission::all, "x509", "CN=client"}}});
    EXPECT_EQ(client.get("/private").data, "");
    Client other = plain();
    other.start();
    error_code ec;
    other.get("/private", ec);
    EXPECT_EQ(ec, server_error::no_auth);
}

TEST_F(TlsServer, EachFaultHasItsSentence) {
    Folder others;
    write_certificates(others.path());
    const std::string server_name = server.tls_connect_string();
    ClientConfig with = config();
    with.tls->ca_file = others.path() / "ca.pem";
    expect_fault("another authority", with, server_name + " (its certificate is refused: ");
    with = config();
    with.tls->certificate_file.clear();
    expect_fault("no certificate", with, server_name + " (it refuses the client's certificate: ");
    with = config();
    with.tls->certificate_file = others.path() / "client.pem";
    expect_fault("a certificate of another authority", with, server_name + " (it refuses the client's certificate: ");
    with = config();
    with.connect_string = server.connect_string();
    expect_fault("a port without TLS", with,
                 server.connect_string() + " (hung up during the TLS handshake: no port for TLS, or too many connections)");
    with = config();
    with.tls.reset();
    expect_fault("TLS is missing", with, server_name + " (hung up: no quorum, too many connections, or a port for TLS)");
}

TEST_F(TlsServer, EachFaultOfACertificateHasItsSentence) {
    const CertificateTerms expired{.valid_from = -2h, .valid_until = -1h};
    const CertificateTerms not_yet_valid{.valid_from = 1h, .valid_until = 2h};
    const std::string server_name = server.tls_connect_string();
    const auto expect = [&](const char* what, const CertificateTerms& of_server, const CertificateTerms& of_client,
                            const std::string& fault) {
        write_certificates(std::filesystem::path(config().tls->ca_file).parent_path(), of_server, of_client);
        server.restart();
        expect_fault(what, config(), server_name + fault);
    };
    expect("the server's has expired", expired, {}, " (its certificate is refused: certificate has expired)");
    expect("the server's is of tomorrow", not_yet_valid, {}, " (its certificate is refused: certificate is not yet valid");
    expect("the client's has expired", {}, expired, " (it refuses the client's certificate: ");
    expect("the server's has another name", {.names = "DNS:other.example"}, {}, " (its certificate is not for 127.0.0.1)");
}

TEST_F(TlsServer, AFaultThatWaitingDoesNotMendEndsTheFirstCallsAtOnce) {
    Folder others;
    write_certificates(others.path());
    ClientConfig with = config();
    with.connection_timeout = 10min;
    with.tls->ca_file = others.path() / "ca.pem";
    Client client(with);
    client.start();
    for (int i = 0; i < 2; ++i) { // the second call begins when the first attempts have failed
        error_code ec;
        client.exists("/", ec);
        EXPECT_EQ(ec, error::tls_failed);
        const Lease none = InterProcessMutex(client, "/locks/job").acquire(ec);
        EXPECT_EQ(ec, error::tls_failed);
    }
    std::filesystem::copy_file(server.tls_config().ca_file, others.path() / "ca.pem",
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(eventually([&] { // the next attempt reads the new file
        error_code ec;
        client.wait_connected(ec, {.timeout = 20s});
        return !ec;
    }));
}

/// A port that accepts connections and never answers.
struct SilentPort {
    boost::asio::io_context context;
    boost::asio::ip::tcp::acceptor acceptor{context, {boost::asio::ip::address_v4::loopback(), 0}};
    std::string name() const { return "127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()); }
};

TEST_F(TlsServer, AHandshakeThatStallsIsASilentServer) {
    SilentPort silent;
    ClientConfig with = config();
    with.connect_string = silent.name();
    with.session_timeout = 3s;
    with.connection_timeout = 3s;
    Client client(with);
    client.start();
    EXPECT_TRUE(eventually([&] { return client.last_connect_error().find("(connected, but silent)") != std::string::npos; }))
        << client.last_connect_error();
}

TEST_F(TlsServer, AHandshakeThatStallsLeavesNothingBehind) {
    SilentPort silent;
    ClientConfig with = config();
    with.connect_string = silent.name();
    with.session_timeout = 1s;
    boost::asio::io_context context;
    auto work = boost::asio::make_work_guard(context);
    std::thread runner([&] { context.run(); });
    {
        Client client(context.get_executor(), with);
        client.start();
        EXPECT_TRUE(eventually([&] { return client.last_connect_error().find("silent") != std::string::npos; }));
        std::vector<boost::asio::ip::tcp::socket> attempts;
        const auto descriptors = [&] { return open_descriptors() - std::ssize(attempts); };
        const auto after_one = descriptors();
        while (attempts.size() < 10) attempts.push_back(silent.acceptor.accept()); // more than one attempt has descriptors
        EXPECT_TRUE(eventually([&] { return descriptors() <= after_one; })) << "one attempt at a time";
    }
    work.reset();
    runner.join(); // nothing waits any more
}

TEST(TlsHandshake, CallsEndAndTheClientClosesAtOnceWhileItStalls) {
    SilentPort silent;
    Client client({.connect_string = silent.name(),
                   .session_timeout = 10min, // a third of it is the limit of the handshake
                   .connection_timeout = 10min,
                   .tls = TlsConfig{}});
    client.start();
    boost::asio::ip::tcp::socket server = silent.acceptor.accept();
    std::array<char, 4096> hello{};
    ASSERT_GT(server.read_some(boost::asio::buffer(hello)), 0U); // the handshake has begun

    std::stop_source stop;
    auto stopped = std::async(std::launch::async, [&] {
        error_code ec;
        client.exists("/", ec, {.stop = stop.get_token()});
        return ec;
    });
    std::promise<error_code> cancelled;
    boost::asio::cancellation_signal signal;
    client.async_exists(
        "/", boost::asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, const auto&) { cancelled.set_value(ec); }));
    std::promise<error_code> closed;
    client.async_exists("/", [&](error_code ec, const auto&) { closed.set_value(ec); });
    const auto start = std::chrono::steady_clock::now();
    stop.request_stop();
    signal.emit(boost::asio::cancellation_type::total);
    EXPECT_EQ(stopped.get(), boost::asio::error::operation_aborted);
    EXPECT_EQ(cancelled.get_future().get(), boost::asio::error::operation_aborted);
    client.close();
    EXPECT_EQ(closed.get_future().get(), error::closed);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 60s);

    server.non_blocking(true);
    EXPECT_TRUE(eventually([&] {
        error_code ec;
        server.read_some(boost::asio::buffer(hello), ec);
        return ec && ec != boost::asio::error::would_block;
    })) << "the connection stays open";
}

/// Each round allows one descriptor more. So in each round, another step of the connection is the first to fail.
TEST_F(TlsServer, WithoutDescriptorsItSaysSoAndConnectsWhenThereAreSome) {
    bool enough = false;
    std::ptrdiff_t after_first = 0;
    for (rlim_t more = 0; !enough; ++more) {
        SCOPED_TRACE(more);
        ASSERT_LT(more, 20U);
        if (more == 1) after_first = open_descriptors();
        boost::asio::io_context context;
        auto work = boost::asio::make_work_guard(context);
        {
            Client client(context.get_executor(), config());
            client.start(); // the rest happens when the context runs
            const auto connected = [&] {
                context.run_for(5ms);
                return client.session().state == SessionState::connected;
            };
            {
                const DescriptorLimit limit(more);
                EXPECT_TRUE(eventually([&] { return connected() || !client.last_connect_error().empty(); }));
                enough = eventually(
                    [&] { // several attempts
                        const std::string reason = client.last_connect_error();
                        EXPECT_TRUE(reason.empty() || reason.find("Too many open files") != std::string::npos) << reason;
                        return connected();
                    },
                    500ms);
            }
            EXPECT_TRUE(eventually(connected)) << client.last_connect_error();
            EXPECT_EQ(client.last_connect_error(), "");
        }
        work.reset();
        context.run();
    }
    EXPECT_EQ(open_descriptors(), after_first) << "none is left open";
}

} // namespace
} // namespace docent
