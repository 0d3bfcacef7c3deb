// SPDX-License-Identifier: Apache-2.0
// Tests of a program that takes a lock, with real servers and a faulty network:
// docs/how-to/test-your-code.md.

#include <docent/docent.hpp>
#include <docent/testing/fault_proxy.hpp>
#include <docent/testing/testing_cluster.hpp>
#include <docent/testing/testing_server.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stop_token>
#include <thread>

using namespace std::chrono_literals;

namespace {

// [job]
/// The code under test: works until the lock is lost. Returns the steps done.
int work_until_lost(docent::Client& client, const std::function<void()>& step) {
    docent::InterProcessMutex mutex{client, "/app/nightly"};
    const docent::Lease lease = mutex.acquire({.timeout = 30s});
    const std::stop_token lost = lease.stop_token();
    int steps = 0;
    for (; !lost.stop_requested(); ++steps) step();
    return steps;
}
// [job]

void check(bool holds, const char* claim) {
    if (holds) return;
    std::cerr << "it does not hold: " << claim << '\n';
    std::exit(1);
}

void one_server() {
    // [server]
    docent::testing::TestingServer server; // a real ZooKeeper on a free port
    docent::Client client{{.connect_string = server.connect_string()}};
    client.start();
    docent::InterProcessMutex mutex{client, "/app/nightly"};
    check(mutex.acquire({.timeout = 30s}).owns(), "a free lock is granted");
    // [server]
}

void cut_off() {
    // [proxy]
    docent::testing::TestingServer server;
    docent::testing::FaultProxy proxy{server.port()};
    docent::Client client{
        {.connect_string = proxy.connect_string(), .session_timeout = 4s}};
    client.start();
    const auto step = [&proxy] {
        proxy.black_hole(); // from the first step on, nothing is forwarded
        std::this_thread::sleep_for(10ms);
    };
    check(work_until_lost(client, step) > 0, "the job ends when it is cut off");
    // [proxy]
}

void lost_reply() {
    docent::testing::TestingServer server;
    docent::testing::FaultProxy proxy{server.port()};
    docent::Client client{{.connect_string = proxy.connect_string()}};
    client.start();
    client.wait_connected();
    // [reply]
    proxy.cut_before_reply(docent::testing::Opcode::set);
    client.create("/report", "old");
    client.set("/report", "new"); // the reply is lost; docent sends it again
    check(proxy.wait_cuts(1, 5s), "the reply was lost");
    check(client.get("/report").data == "new", "the write was applied");
    // [reply]
}

void lost_leader() {
    // [cluster]
    docent::testing::TestingCluster cluster; // three servers
    docent::Client client{{.connect_string = cluster.connect_string()}};
    client.start();
    client.create("/report", "ready");
    cluster.server(cluster.leader().value()).kill();
    cluster.wait_for_quorum();
    check(client.get("/report").data == "ready", "the write survives");
    // [cluster]
}

} // namespace

int main() {
    try {
        one_server();
        cut_off();
        lost_reply();
        lost_leader();
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
