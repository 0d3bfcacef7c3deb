// SPDX-License-Identifier: Apache-2.0
// The code of docs/how-to: limit-concurrency.md, several-locks.md,
// ask-for-a-lock.md, from-kazoo.md, tls.md. Usage: locks [CONNECT_STRING];
// without one it starts a server.

#include "../example_server.hpp"

#include <docent/docent.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

/// Counts how many run at once.
struct Renderer {
    std::atomic<int> now{0};
    std::atomic<int> most{0};
    void render() {
        const int running = ++now;
        for (int seen = most; seen < running;) {
            if (most.compare_exchange_weak(seen, running)) break;
        }
        std::this_thread::sleep_for(20ms);
        --now;
    }
};

void render_with_permit(docent::Client& client, Renderer& renderer) {
    // [permit]
    docent::InterProcessSemaphore permits{client, "/how-to/render", 2};
    const docent::Lease permit = permits.acquire();
    renderer.render(); // at most two at once, on all machines together
    // [permit]
}

bool limits(docent::Client& client) {
    Renderer renderer;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 6; ++i) {
            threads.emplace_back([&] { render_with_permit(client, renderer); });
        }
    }
    return renderer.most <= 2;
}

bool tries_permits(docent::Client& client, Renderer& renderer) {
    docent::InterProcessSemaphore permits{client, "/how-to/render", 2};
    // [permits]
    if (const auto both = permits.try_acquire_for(2, 30s)) {
        renderer.render(); // holds both permits, until `both` is destroyed
    }
    // [permits]
    return renderer.most == 1;
}

bool takes_several(docent::Client& client) {
    int moved = 0;
    const auto move_money = [&](std::stop_token lost) {
        if (!lost.stop_requested()) ++moved;
    };
    // [several]
    docent::InterProcessMultiLock both{
        client, {"/how-to/accounts/ann", "/how-to/accounts/bob"}};
    if (const auto lease = both.try_acquire_for(30s)) {
        move_money(lease->stop_token()); // fires when one of the locks is lost
    }
    // [several]
    return moved == 1;
}

bool listens(docent::Client& client, docent::Client& other) {
    int steps = 0;
    std::promise<void> started;
    std::jthread worker([&] {
        const auto do_a_step = [&] {
            if (steps++ == 0) started.set_value();
            std::this_thread::sleep_for(1ms);
        };
        // [listen]
        docent::InterProcessMutex mutex{
            client, "/how-to/reindex", {.node_data = "reindex on web-2"}};
        docent::Lease lease = mutex.acquire();
        std::stop_source asked;
        lease.make_revocable([asked]() mutable { asked.request_stop(); });
        const std::stop_token lost = lease.stop_token();
        while (!lost.stop_requested() && !asked.stop_requested()) do_a_step();
        // [listen]
    });
    started.get_future().get();
    docent::Client& client_of_deployment = other;
    // [ask]
    docent::error_code ec; // no_node: nobody holds it, or not any more
    const auto queue =
        docent::inspect(client_of_deployment, "/how-to/reindex", ec);
    for (const docent::Participant& one : queue.participants) {
        if (one.holds) docent::revoke(client_of_deployment, one.node_path, ec);
    }
    docent::InterProcessMutex mutex{client_of_deployment, "/how-to/reindex"};
    const docent::Lease lease = mutex.acquire({.timeout = 1min});
    // [ask]
    return lease.owns() && steps > 0;
}

bool limits_a_hold(docent::Client& client) {
    int written = 0;
    const std::vector<int> pages{1, 2, 3};
    const auto write = [&](int) { ++written; };
    // [limit]
    docent::InterProcessMutex mutex{
        client, "/how-to/export", {.max_hold = 5min}};
    const docent::Lease lease = mutex.acquire();
    for (const int page : pages) {
        if (lease.stop_token().stop_requested()) break; // lost or expired
        write(page);
        lease.extend(5min); // five minutes from now
    }
    // [limit]
    return written == 3;
}

bool stands_in_the_queue_of_kazoo(docent::Client& client) {
    // [kazoo]
    docent::InterProcessMutex mutex{
        client, "/how-to/report", {.others = docent::kazoo_contenders()}};
    const docent::Lease lease = mutex.acquire({.timeout = 30s});
    // [kazoo]
    return lease.owns();
}

bool speaks_tls() {
    // [tls]
    const docent::ClientConfig config{
        .connect_string =
            "zk1.example.org:2281,zk2.example.org:2281,zk3.example.org:2281",
        .tls = docent::TlsConfig{.ca_file = "/etc/ssl/zookeeper-ca.pem",
                                 .certificate_file = "/etc/ssl/client.pem",
                                 .key_file = "/etc/ssl/private/client.key"}};
    // [tls]
    return config.tls && config.tls->check_host;
}

bool is(bool holds, const char* claim) {
    if (!holds) std::cerr << "it does not hold: " << claim << '\n';
    return holds;
}

} // namespace

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        docent::Client other{{.connect_string = server.connect_string()}};
        client.start();
        other.start();
        Renderer renderer;
        bool good = is(limits(client), "at most two at once");
        good &= is(tries_permits(client, renderer), "both permits together");
        good &= is(takes_several(client), "both locks");
        good &= is(listens(client, other), "the holder gives up when asked");
        good &= is(limits_a_hold(client), "the hold is extended");
        good &= is(stands_in_the_queue_of_kazoo(client), "beside kazoo");
        good &= is(speaks_tls(), "a client with TLS");
        return good ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
