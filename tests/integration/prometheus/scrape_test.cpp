// SPDX-License-Identifier: Apache-2.0

// A scrape over HTTP of a program whose leases went through every possible end.

#include "clients.hpp"
#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/revocation.hpp>
#include <docent/testing/fault_proxy.hpp>
#include <docent/tracing/prometheus_tracer.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>
#include <prometheus/exposer.h>
#include <prometheus/registry.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using docent::test::eventually;

class ScrapeTest : public ::testing::Test {
protected:
    ScrapeTest() {
        exposer.RegisterCollectable(registry);
        client->start();
        other.start();
    }

    std::string scrape() const {
        asio::io_context context;
        tcp::socket socket(context);
        socket.connect({asio::ip::address_v4::loopback(), static_cast<unsigned short>(exposer.GetListeningPorts().front())});
        asio::write(socket, asio::buffer(std::string("GET /metrics HTTP/1.0\r\n\r\n")));
        std::string answer;
        error_code ec;
        asio::read(socket, asio::dynamic_buffer(answer), ec);
        EXPECT_EQ(ec, asio::error::eof);
        return answer;
    }
    /// The value of a series; nothing if there is none.
    std::optional<double> value(const std::string& series) const {
        const std::string text = scrape();
        const auto line = text.find('\n' + series + ' ');
        if (line == std::string::npos) return std::nullopt;
        return std::stod(text.substr(line + series.size() + 2));
    }
    bool shows(const std::string& series, double number) const {
        return eventually([&] { return value(series) == number; });
    }
    static std::string of(const std::string& lock, const std::string& rest = {}) {
        return R"({kind="mutex",lock=")" + lock + '"' + rest + '}';
    }
    Lease acquire(const std::string& label, LockOptions options = {}) {
        options.label = label;
        return InterProcessMutex(*client, "/" + label, options).acquire();
    }

    docent::test::AnyServer server;
    std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
    prometheus::Exposer exposer{"127.0.0.1:0"};
    std::optional<Client> client{std::in_place, ClientConfig{.connect_string = server.connect_string(),
                                                             .tracer = std::make_shared<PrometheusTracer>(registry)}};
    Client other{{.connect_string = server.connect_string()}};
};

TEST_F(ScrapeTest, ShowsGrantWaitLossRevocationAndExpiry) {
    // A lease that is granted, waited for and released.
    Lease theirs = InterProcessMutex(other, "/waited").acquire();
    InterProcessMutex mutex(*client, "/waited", {.label = "waited"});
    auto waiting = mutex.async_acquire(asio::use_future);
    EXPECT_TRUE(shows("docent_leases_waiting" + of("waited"), 1));
    EXPECT_FALSE(InterProcessMutex(*client, "/waited", {.label = "waited"}).try_acquire());
    EXPECT_TRUE(shows("docent_lease_wait_seconds_count" + of("waited", R"(,outcome="not_acquired")"), 1));
    theirs.release();
    Lease mine = waiting.get();
    EXPECT_TRUE(shows("docent_leases_held" + of("waited"), 1));
    EXPECT_TRUE(shows("docent_leases_waiting" + of("waited"), 0));
    EXPECT_TRUE(shows("docent_lease_wait_seconds_count" + of("waited", R"(,outcome="granted")"), 1));
    mine.release();
    EXPECT_TRUE(shows("docent_lease_hold_seconds_count" + of("waited", R"(,outcome="released")"), 1));
    EXPECT_TRUE(shows("docent_lease_margin_seconds_count" + of("waited"), 1));
    EXPECT_TRUE(shows("docent_leases_held" + of("waited"), 0));

    // A lease that another client asks for and whose node is then deleted.
    Lease asked = acquire("asked");
    asked.make_revocable([] {});
    revoke(other, asked.node_path());
    EXPECT_TRUE(shows("docent_lease_revocation_requests_total" + of("asked"), 1));
    other.remove(asked.node_path());
    EXPECT_TRUE(shows("docent_leases_lost_total" + of("asked", R"(,reason="node_deleted")"), 1));
    EXPECT_TRUE(shows("docent_lease_hold_seconds_count" + of("asked", R"(,outcome="lost")"), 1));

    // A lease that is held for too long.
    const Lease expired = acquire("expired", {.max_hold = 50ms});
    EXPECT_TRUE(shows("docent_lease_hold_seconds_count" + of("expired", R"(,outcome="expired")"), 1));
    EXPECT_TRUE(shows("docent_leases_held" + of("expired"), 0));

    // A lease that is lost with its session.
    const Lease lost = acquire("lost");
    EXPECT_EQ(value("docent_session_losses_total"), 0);
    client->renew_session();
    EXPECT_TRUE(shows("docent_leases_lost_total" + of("lost", R"(,reason="session")"), 1));
    EXPECT_TRUE(shows("docent_session_losses_total", 1));
    EXPECT_TRUE(shows(R"(docent_session_state{state="connected"})", 1));
    EXPECT_TRUE(shows(R"(docent_operation_seconds_count{operation="acquire",result="ok"})", 4));
    client.reset();
    EXPECT_TRUE(shows(R"(docent_session_state{state="closed"})", 1));
}

TEST_F(ScrapeTest, ShowsOpenLeasesAndWaits) {
    docent::testing::FaultProxy proxy(server.port());
    const PrometheusTracerOptions options{.labels = {{"client", "far"}}};
    Client far =
        started({.connect_string = proxy.connect_string(), .tracer = std::make_shared<PrometheusTracer>(registry, options)});
    const std::string removals = R"(docent_pending_removals{client="far"})";
    const std::string watches = R"(docent_watches{client="far"})";
    EXPECT_TRUE(shows(watches, 0));
    Lease lease = InterProcessMutex(far, "/held").acquire();
    Lease theirs = InterProcessMutex(other, "/wanted").acquire();
    auto waiting = InterProcessMutex(far, "/wanted").async_acquire(asio::use_future);
    EXPECT_TRUE(eventually([&] { return value(watches) >= 3; })) << "one of the lease, two of who waits";
    EXPECT_EQ(value(removals), 0);
    proxy.black_hole(docent::testing::Direction::to_client);
    lease = {}; // released, but no server confirms it
    EXPECT_TRUE(shows(removals, 1));
    proxy.heal();
    EXPECT_TRUE(shows(removals, 0));
    theirs.release();
    waiting.get().release();
    far.close();
    EXPECT_TRUE(shows(watches, 0));
}

} // namespace
} // namespace docent
