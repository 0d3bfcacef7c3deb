// SPDX-License-Identifier: Apache-2.0
#include "durations.hpp"
#include "workload.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

struct Contest {
    int cycles;
    std::chrono::microseconds hold;
    asio::io_context io{1};
    Durations handoffs = {};
    std::optional<steady_clock::time_point> released = {}; // the last one, at the call
    int inside = 0;
    int overlaps = 0;
};

asio::awaitable<void> take_turns(docent::Client& client, Contest& contest) {
    docent::InterProcessMutex mutex{client, "/benchmark/contended"};
    asio::steady_timer timer{contest.io};
    for (int cycle = 0; cycle < contest.cycles; ++cycle) {
        const docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
        if (contest.released) contest.handoffs.add(steady_clock::now() - *contest.released);
        if (++contest.inside != 1) ++contest.overlaps;
        if (contest.hold > 0us) {
            timer.expires_after(contest.hold);
            co_await timer.async_wait(asio::use_awaitable);
        }
        --contest.inside;
        contest.released = steady_clock::now(); // the lease goes here, which sends the release
    }
}

std::vector<std::unique_ptr<docent::Client>> connect_all(Contest& contest, const std::string& connect_string, int count) {
    std::vector<std::unique_ptr<docent::Client>> clients;
    for (int i = 0; i < count; ++i) {
        clients.push_back(std::make_unique<docent::Client>(
            contest.io.get_executor(), docent::ClientConfig{.connect_string = connect_string, .session_timeout = 30s}));
        clients.back()->start();
    }
    int connected = 0;
    for (auto& client : clients) {
        client->async_wait_connected({}, [&](docent::error_code ec) {
            if (ec) throw docent::Error(ec, "connecting"); // out of run()
            ++connected;
        });
    }
    while (connected < count) contest.io.run_one();
    return clients;
}

void spawn_all(Contest& contest, std::vector<std::unique_ptr<docent::Client>>& clients, std::size_t& left) {
    for (auto& client : clients) {
        asio::co_spawn(contest.io, take_turns(*client, contest), [&left](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure); // out of run()
            --left;
        });
    }
}

} // namespace

void run_contended(const Options& options) {
    const int count = options.number("clients");
    Contest contest{.cycles = options.number("cycles"), .hold = std::chrono::microseconds{options.number("hold-us", 0)}};
    auto clients = connect_all(contest, options.text("connect"), count);

    std::size_t left = clients.size();
    const auto begin = steady_clock::now();
    spawn_all(contest, clients, left);
    while (left > 0) contest.io.run_one();
    const std::chrono::duration<double> elapsed = steady_clock::now() - begin;

    std::cout << "peer=docent work=contended clients=" << count << " cycles=" << contest.cycles
              << " hold_us=" << contest.hold.count()
              << " per_s=" << static_cast<double>(count * contest.cycles) / elapsed.count()
              << " handoff_p50_us=" << contest.handoffs.at(0.5) << " handoff_p99_us=" << contest.handoffs.at(0.99)
              << " overlaps=" << contest.overlaps << std::endl;
    for (auto& client : clients) client->close();
    contest.io.run();
}
