// SPDX-License-Identifier: Apache-2.0
#include "cli/local/demo_loss.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <future>
#include <stdexcept>
#include <string>
#include <thread>

namespace docent::cli {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr auto path = "/demo/cut-off";
constexpr auto session_timeout = 2s;
constexpr auto longest = 20s;

void wait_for_waiter(Client& client) {
    const auto deadline = steady_clock::now() + longest;
    while (client.children(path).names.size() < 2) {
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

} // namespace

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
    wait_for_waiter(next);

    const auto silent = steady_clock::now();
    proxy.black_hole();
    const auto told = wait_lost(lease);
    const std::int64_t next_token = waiting.get();
    proxy.heal(); // so that the holder's client can close
    const auto since = [&](auto when) { return std::chrono::duration_cast<std::chrono::milliseconds>(when - silent); };
    return {since(told), since(granted), lease.fencing_token(), next_token};
}

} // namespace docent::cli
