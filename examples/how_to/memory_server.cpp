// SPDX-License-Identifier: Apache-2.0
// Tests of a program that takes a lock, with a server in memory:
// docs/how-to/memory-server.md.

#include <docent/docent.hpp>
#include <docent/testing/memory_server.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>

using namespace std::chrono_literals;

namespace {

void check(bool holds, const char* claim) {
    if (holds) return;
    std::cerr << "it does not hold: " << claim << '\n';
    std::exit(1);
}

void one_server() {
    // [server]
    docent::testing::MemoryServer server;
    docent::Client client{{.connect_string = server.connect_string()}};
    client.start();
    docent::InterProcessMutex mutex{client, "/app/nightly"};
    check(mutex.acquire({.timeout = 30s}).owns(), "a free lock is granted");
    // [server]
}

void lost_answer() {
    docent::testing::MemoryServer server;
    docent::Client client{{.connect_string = server.connect_string()}};
    client.start();
    // [answer]
    client.create("/report", "old");
    server.lose_reply(docent::testing::Opcode::set);
    client.set("/report", "new"); // the reply is lost; docent sends it again
    check(server.wait_faults(1, 5s), "the answer was lost");
    check(client.get("/report").stat.version == 2, "it was applied twice");
    // [answer]
}

void expired_session() {
    // [expired]
    docent::testing::MemoryServer server{
        {.clock = docent::testing::Clock::manual}};
    docent::Client client{{.connect_string = server.connect_string()}};
    client.start();
    docent::InterProcessMutex mutex{client, "/app/nightly"};
    docent::Lease lease = mutex.acquire({.timeout = 30s});

    server.stall(client.session().session_id); // no bytes pass
    server.advance(1min);                      // the session expires at once
    docent::Client next{{.connect_string = server.connect_string()}};
    next.start();
    docent::InterProcessMutex same{next, "/app/nightly"};
    check(same.acquire({.timeout = 30s}).owns(), "the lock is free");
    // [expired]
}

void lagging_server() {
    // [lag]
    docent::testing::MemoryServer servers{{.servers = 3}};
    const auto stay = docent::EnsembleTracking::off; // on their servers
    docent::Client writer{{.connect_string = servers.connect_string(0),
                           .ensemble_tracking = stay}};
    docent::Client reader{{.connect_string = servers.connect_string(1),
                           .ensemble_tracking = stay}};
    writer.start();
    reader.start();
    writer.wait_connected();
    reader.wait_connected(); // a new session catches up
    servers.lag(1);
    writer.create("/report");
    check(!reader.exists("/report"), "a server that lags shows the past");
    reader.sync("/report");
    check(reader.exists("/report").has_value(), "a sync shows all changes");
    // [lag]
}

} // namespace

int main() {
    try {
        one_server();
        lost_answer();
        expired_session();
        lagging_server();
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
