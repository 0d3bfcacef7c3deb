// SPDX-License-Identifier: Apache-2.0
#include "cli/local/demo_turns.hpp"

#include "cli/messages.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

/// Only the lock protects the counter. Its atomics make a failure a wrong sum, and not undefined behaviour.
struct SharedCounter {
    std::atomic<int> value = 0;
    std::atomic<int> turns = 0;
    std::atomic<int> inside = 0;
    std::atomic<int> overlaps = 0;
    std::atomic<std::int64_t> last_token = 0;
    std::atomic<bool> tokens_grew = true;

    void increment_slowly(std::int64_t token) {
        if (inside++ != 0) ++overlaps;
        if (last_token.exchange(token) >= token) tokens_grew = false;
        const int seen = value;
        std::this_thread::sleep_for(20ms); // a second holder would now read the same number
        value = seen + 1;
        ++turns;
        --inside;
    }
};

void print_turn(int client, int turn, const SharedCounter& counter, std::int64_t token) {
    print("  client " + std::to_string(client) + "  turn " + std::to_string(turn) + "/" + std::to_string(demo_turns_each) +
          "  counter " + (counter.value < 10 ? " " : "") + std::to_string(counter.value) + "  fencing token " +
          std::to_string(token) + "\n");
}

void run_client(int number, const std::string& connect_string, SharedCounter& counter, const std::stop_token& stop) {
    Client client({.connect_string = connect_string});
    client.start();
    InterProcessMutex mutex(client, "/demo/counter");
    for (int turn = 1; turn <= demo_turns_each; ++turn) {
        Lease lease = mutex.acquire({.timeout = 30s, .stop = stop});
        counter.increment_slowly(lease.fencing_token());
        print_turn(number, turn, counter, lease.fencing_token());
    }
}

} // namespace

TurnsResult take_turns(const std::string& connect_string, const std::stop_token& stop) {
    SharedCounter counter;
    std::vector<std::future<void>> clients;
    for (int number = 1; number <= demo_clients; ++number) {
        clients.push_back(std::async(std::launch::async, [&, number] { run_client(number, connect_string, counter, stop); }));
    }
    std::exception_ptr failure;
    for (auto& client : clients) {
        try {
            client.get();
        } catch (...) {
            failure = std::current_exception();
        }
    }
    if (failure && !stop.stop_requested()) std::rethrow_exception(failure);
    return {counter.turns, counter.value, counter.overlaps, counter.tokens_grew, counter.last_token};
}

} // namespace docent::cli
