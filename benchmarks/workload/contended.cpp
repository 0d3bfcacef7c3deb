// SPDX-License-Identifier: Apache-2.0
#include "common/durations.hpp"
#include "common/window.hpp"
#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
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
    Window window;
    std::chrono::microseconds hold;
    asio::io_context io{1};
    Durations handoffs = {};
    std::chrono::microseconds pause{0};
    std::optional<steady_clock::time_point> released = {}; // time of the last release
    const docent::Client* last = nullptr;                  // the client with that turn
    std::int64_t again = 0;                                // turns of the client that also had the turn before
    std::int64_t turns = 0;                                // turns in the window
    std::int64_t all_turns = 0;                            // also the turns of the warm-up
    std::size_t left = 0;                                  // clients that still take turns
    int inside = 0;
    int overlaps = 0;
};

asio::awaitable<void> take_turns(docent::Client& client, Contest& contest) {
    docent::InterProcessMutex mutex{client, "/benchmark/contended"};
    asio::steady_timer timer{contest.io};
    while (!contest.window.is_over()) {
        {
            const docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
            const auto granted = steady_clock::now();
            ++contest.all_turns;
            if (contest.window.is_open()) {
                ++contest.turns;
                if (contest.last == &client) ++contest.again;
                else if (contest.released) contest.handoffs.add(granted - *contest.released);
            }
            if (++contest.inside != 1) ++contest.overlaps;
            if (contest.hold > 0us) {
                timer.expires_after(contest.hold);
                co_await timer.async_wait(asio::use_awaitable);
            }
            --contest.inside;
            contest.last = &client;
            contest.released = steady_clock::now();
        } // the lease ends here, and sends the release
        if (contest.pause > 0us) {
            timer.expires_after(contest.pause);
            co_await timer.async_wait(asio::use_awaitable);
        }
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
            if (ec) throw docent::Error(ec, "connecting"); // run() throws it
            ++connected;
        });
    }
    while (connected < count) contest.io.run_one();
    return clients;
}

void spawn_all(Contest& contest, std::vector<std::unique_ptr<docent::Client>>& clients) {
    contest.left = clients.size();
    for (auto& client : clients) {
        asio::co_spawn(contest.io, take_turns(*client, contest), [&contest](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure); // run() throws it
            --contest.left;
        });
    }
}

} // namespace

void run_contended(const Options& options) {
    const int count = options.number("clients");
    Contest contest{.window = Window(options), .hold = std::chrono::microseconds{options.number("hold-us", 0)}};
    contest.pause = std::chrono::microseconds{options.number("pause-us", 0)};
    auto clients = connect_all(contest, options.text("connect"), count);

    contest.window.open();
    spawn_all(contest, clients);
    while (contest.left > 0) contest.io.run_one();

    std::cout << "peer=docent work=contended clients=" << count << " hold_us=" << contest.hold.count()
              << " per_s=" << contest.window.per_second(contest.turns) << " handoff_p50_us=" << contest.handoffs.at(0.5)
              << " handoff_p99_us=" << contest.handoffs.at(0.99) << " overlaps=" << contest.overlaps
              << " turns=" << contest.all_turns
              << " again=" << static_cast<double>(contest.again) / static_cast<double>(std::max<std::int64_t>(contest.turns, 1))
              << std::endl;
    for (auto& client : clients) client->close();
    contest.io.run();
}
