// SPDX-License-Identifier: Apache-2.0
#include "cli/local/local_server.hpp"
#include "cli/messages.hpp"
#include "cli/run.hpp"
#include "cli/signals.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <boost/asio/error.hpp>

#include <errno.h> // program_invocation_name

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace docent::cli {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr auto path = "/demo/cut-off";
constexpr auto session_timeout = 2s;
constexpr auto longest = 20s;

void wait_for_waiter(Client& client, const std::stop_token& stop) {
    const auto deadline = steady_clock::now() + longest;
    while (client.children(path).names.size() < 2) {
        if (stop.stop_requested()) throw Error(boost::asio::error::operation_aborted, path);
        if (steady_clock::now() > deadline) throw std::runtime_error("demo: the second client did not get in line");
        std::this_thread::sleep_for(5ms);
    }
}

steady_clock::time_point wait_lost(const Lease& lease) {
    std::promise<steady_clock::time_point> lost;
    auto when = lost.get_future();
    const std::stop_callback on_lost(lease.stop_token(), [&] { lost.set_value(steady_clock::now()); });
    if (when.wait_for(longest) != std::future_status::ready) throw std::runtime_error("demo: the holder was told nothing");
    return when.get();
}

/// The times of events after the holder's network has gone silent.
struct LossResult {
    std::chrono::milliseconds told{0};    // the holder learned of the loss
    std::chrono::milliseconds granted{0}; // the next holder got the lock
    std::int64_t lost_token = 0;
    std::int64_t next_token = 0;
};

/// Shows a loss: a holder behind a proxy that forwards nothing, and a waiter for the same lock. Throws docent::Error or
/// std::runtime_error on any other result, also after a stop request.
LossResult lose_a_holder(std::uint16_t server_port, const std::stop_token& stop) {
    docent::testing::FaultProxy proxy(server_port);
    Client holder({.connect_string = proxy.connect_string(), .session_timeout = session_timeout});
    Client next({.connect_string = "127.0.0.1:" + std::to_string(server_port), .session_timeout = session_timeout});
    holder.start();
    next.start();
    InterProcessMutex held(holder, path);
    InterProcessMutex wanted(next, path);

    const Lease lease = held.acquire({.timeout = longest, .stop = stop});
    steady_clock::time_point granted;
    auto waiting = std::async(std::launch::async, [&] {
        Lease got = wanted.acquire({.timeout = longest, .stop = stop});
        granted = steady_clock::now();
        return got.fencing_token();
    });
    wait_for_waiter(next, stop);

    const auto silent = steady_clock::now();
    proxy.black_hole();
    const auto told = wait_lost(lease);
    const std::int64_t next_token = waiting.get();
    proxy.heal(); // so that the holder's client can close
    const auto since = [&](auto when) { return std::chrono::duration_cast<std::chrono::milliseconds>(when - silent); };
    return {since(told), since(granted), lease.fencing_token(), next_token};
}

constexpr int demo_clients = 4;
constexpr int demo_turns_each = 5;

/// Only the lock protects the counter. Its atomics make a failure a wrong sum, and not undefined behaviour.
struct SharedCounter {
    std::atomic<int> value = 0; // each turn reads it, pauses and writes it
    std::atomic<int> turns = 0;
    std::atomic<int> inside = 0;
    std::atomic<int> overlaps = 0; // turns that began while another client held the lock
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

/// Lets clients take turns under one lock, each with its own session and thread. Prints a line for each turn. Ends early when
/// stopped. Throws docent::Error if a client fails.
void take_turns(const std::string& connect_string, SharedCounter& counter, const std::stop_token& stop) {
    std::vector<std::future<void>> clients;
    for (int number = 1; number <= demo_clients; ++number) {
        clients.push_back(std::async(std::launch::async, [&, number] { run_client(number, connect_string, counter, stop); }));
    }
    try {
        for (auto& client : clients) client.get();
    } catch (...) {
        if (!stop.stop_requested()) throw;
    }
}

/// How to call docent from the user's shell, also if it is not on PATH.
std::string called_as() {
    std::string name = program_invocation_name;
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("/._+-").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (name.find('/') == std::string::npos) return "docent";
    if (std::all_of(name.begin(), name.end(), is_plain)) return name;
    std::string quoted = "'";
    for (const char c : name) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string try_next(ServerKind kind) {
    const std::string docent = "  " + called_as();
    const std::string server = kind == ServerKind::real ? " server &\n" : " server --memory &\n";
    return "\nTry next:\n" + docent + server + docent +
           R"( lock /nightly -- sh -c 'echo "mine, with fencing token $DOCENT_FENCING_TOKEN"; sleep 5')" + "\n" + docent +
           " lock /nightly --no-wait -- echo mine    # meanwhile, in another terminal: exits 75\n" + docent + " ls /nightly\n";
}

std::string seconds(std::chrono::milliseconds time) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f s", static_cast<double>(time.count()) / 1000);
    return text.data();
}

/// Checks the demo's claims. Returns the fault, or an empty text.
std::string find_fault(const SharedCounter& counter, const LossResult& loss) {
    constexpr int expected = demo_clients * demo_turns_each;
    if (counter.turns != expected) return "not every turn was taken";
    if (counter.overlaps != 0) return "two clients were inside at once";
    if (counter.value != expected) return "an increment was lost";
    if (!counter.tokens_grew || loss.next_token <= loss.lost_token) return "a fencing token did not grow";
    if (loss.told >= loss.granted) return "the next client held the lock before the lost holder was told";
    return {};
}

void print_loss(const LossResult& loss) {
    print("  after " + seconds(loss.told) + "  the holder (fencing token " + std::to_string(loss.lost_token) +
          ") was told that it lost the lock\n");
    print("  after " + seconds(loss.granted) + "  the client that waited got it, with fencing token " +
          std::to_string(loss.next_token) + "\n");
}

int run_demo(ServerKind kind, const std::stop_token& stop) {
    print(kind == ServerKind::real ? "Starting a ZooKeeper for the demo... "
                                   : "Starting a server in memory for the demo (--real: a ZooKeeper)... ");
    const LocalServer server("demo", {.kind = kind});
    print("it listens on " + server.connect_string() + ".\n\n");

    print("Four clients increment a counter, five times each, under one lock: read it, pause, write it back plus one.\n");
    SharedCounter counter;
    take_turns(server.connect_string(), counter, stop);
    if (stop.stop_requested()) return exit_code::failure;

    print("\nNow a holder's network goes silent, while another client waits for its lock (session timeout 2 s).\n");
    const LossResult loss = lose_a_holder(server.port(), stop);
    print_loss(loss);

    if (const auto fault = find_fault(counter, loss); !fault.empty()) {
        print_error("demo: " + fault);
        return exit_code::failure;
    }
    print("\nProved: " + std::to_string(counter.turns) + " turns, " + std::to_string(counter.overlaps) +
          " overlaps, the counter says " + std::to_string(counter.value) + "; the fencing tokens grew with every holder;\n" +
          "the cut-off holder knew of its loss " + seconds(loss.granted - loss.told) + " before the next one held the lock.\n" +
          try_next(kind));
    return exit_code::success;
}

} // namespace

int run(const DemoCommand& command) {
    StopOnSignal signals{SIGINT, SIGTERM, SIGHUP};
    const auto result = [&] {
        try {
            return run_demo(command.kind, signals.token());
        } catch (const Error& e) {
            if (signals.received() == 0) print_error(std::string("demo: ") + e.what());
            return exit_code::failure;
        }
    }();
    return signals.received() != 0 ? exit_code::by_signal(signals.received()) : result;
}

} // namespace docent::cli
