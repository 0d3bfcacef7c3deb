// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/leader_latch.hpp>

#include <chrono>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

std::unique_ptr<docent::Client> connect_for_election(const Options& options) {
    auto client = std::make_unique<docent::Client>(client_config(options));
    client->start();
    client->wait_connected();
    return client;
}

/// Measures the time from start() to the leadership, without other candidates.
Durations measure_free_leads(docent::Client& client, int n, int warmup, milliseconds settle) {
    Durations leads;
    for (int i = -warmup; i < n; ++i) { // the warm-up also creates the parent
        docent::LeaderLatch latch{client, "/benchmark/latch", {.id = "docent"}};
        const auto begin = steady_clock::now();
        latch.await_leadership(); // starts the latch
        if (i >= 0) leads.add(steady_clock::now() - begin);
        latch.close();
        std::this_thread::sleep_for(settle);
    }
    return leads;
}

/// Measures the time from the call of resign() until a candidate of another session leads.
Durations measure_handoffs(docent::Client& one, docent::Client& other, int n, milliseconds settle) {
    Durations handoffs;
    docent::LeaderLatch first{one, "/benchmark/handoff", {.id = "first"}};
    docent::LeaderLatch second{other, "/benchmark/handoff", {.id = "second"}};
    docent::LeaderLatch* leader = &first;
    docent::LeaderLatch* next = &second;
    leader->await_leadership();
    for (int i = 0; i < n; ++i) {
        std::promise<steady_clock::time_point> led;
        next->async_await_leadership([&led](docent::error_code ec, const docent::Leadership&) {
            if (ec) return led.set_exception(std::make_exception_ptr(docent::Error(ec, "waiting for the lead")));
            led.set_value(steady_clock::now());
        });
        std::this_thread::sleep_for(settle); // the candidate queues, and watches
        const auto begin = steady_clock::now();
        leader->resign();
        handoffs.add(led.get_future().get() - begin);
        std::swap(leader, next);
    }
    second.close();
    first.close();
    return handoffs;
}

} // namespace

void run_latch(const Options& options) {
    const int n = options.number("n");
    const int warmup = options.number("warmup", 10);
    const milliseconds settle{options.number("settle-ms", 250)};
    const auto one = connect_for_election(options);
    const auto other = connect_for_election(options);
    Durations leads = measure_free_leads(*one, n, warmup, settle);
    Durations handoffs = measure_handoffs(*one, *other, n, settle);
    std::cout << "peer=docent work=latch n=" << n << " warmup=" << warmup << leads.figures("lead")
              << handoffs.figures("handoff") << std::endl;
}
