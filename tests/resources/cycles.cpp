// SPDX-License-Identifier: Apache-2.0

// Repeats the same work many times.

#include "works.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/fault_proxy.hpp>

namespace docent::resources {

using namespace std::chrono_literals;

namespace {
constexpr int warm_ups = 5; // they allocate everything that is allocated once
} // namespace

void count_cycles(Report& report, const testing::TestingServer& server, int cycles) {
    Client client{config_for(server.connect_string())};
    client.start();
    keep(client, "/cycles");
    InterProcessMutex mutex(client, "/cycles");
    const auto turn = [&] { mutex.acquire({.timeout = longest}).release(); };
    for (int i = 0; i < warm_ups; ++i) turn();
    const Usage before = usage(server);
    for (int i = 0; i < cycles; ++i) turn();
    report.compare(std::to_string(cycles) + " lock cycles", server, before);
}

void count_reconnects(Report& report, const testing::TestingServer& server, int reconnects) {
    testing::FaultProxy proxy(server.port());
    Client client{config_for(proxy.connect_string())};
    client.start();
    keep(client, "/reconnects");
    Lease lease = InterProcessMutex(client, "/reconnects").acquire({.timeout = longest});
    const auto reconnect = [&] {
        const std::size_t connections = proxy.connections();
        proxy.cut();
        report.check(comes_true([&] { return proxy.connections() > connections; }), "a client connects again");
        client.sync("/", {.timeout = longest});
    };
    for (int i = 0; i < warm_ups; ++i) reconnect();
    const Usage before = usage(server);
    for (int i = 0; i < reconnects; ++i) reconnect();
    report.check(lease.owns(), "a lease outlives reconnects");
    report.compare(std::to_string(reconnects) + " reconnects with a lease", server, before);
}

void count_expiries(Report& report, const testing::TestingServer& server, int expiries) {
    testing::FaultProxy proxy(server.port());
    Client client{config_for(proxy.connect_string(), 1s)};
    client.start();
    keep(client, "/expiries");
    InterProcessMutex mutex(client, "/expiries");
    const auto expire = [&] {
        Lease lease;
        std::int64_t session = 0;
        do { // again if the session has ended since the lease was granted
            lease = mutex.acquire({.timeout = longest});
            session = client.session().session_id;
        } while (!lease.owns());
        proxy.black_hole();
        report.check(comes_true([&] { return server.metric("zk_ephemerals_count") == 0; }), "the server ends a session");
        proxy.heal();
        report.check(comes_true([&] {
                         const SessionEvent now = client.session();
                         return now.session_id != session && now.state == SessionState::connected;
                     }),
                     "another session begins");
        report.check(!lease.owns(), "no lease outlives its session");
    };
    expire(); // the first expiry is not counted
    const Usage before = usage(server);
    for (int i = 0; i < expiries; ++i) expire();
    report.compare(std::to_string(expiries) + " expiries with a lease", server, before);
}

} // namespace docent::resources
