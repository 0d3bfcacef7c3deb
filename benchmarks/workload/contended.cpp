// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "coroutines.hpp"
#include "works.hpp"

#include <docent/recipes/inter_process_mutex.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace {

using Clients = std::vector<std::unique_ptr<docent::Client>>;

asio::awaitable<void> take_turns(docent::Client& client, Contest& contest) {
    docent::InterProcessMutex mutex{client, "/benchmark/contended"};
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer{executor};
    while (!contest.is_over()) {
        {
            const docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
            contest.enter(&client);
            if (contest.hold() > 0us) {
                timer.expires_after(contest.hold());
                co_await timer.async_wait(asio::use_awaitable);
            }
            contest.leave(&client);
        } // the lease ends here, and sends the release
        if (contest.pause() > 0us) {
            timer.expires_after(contest.pause());
            co_await timer.async_wait(asio::use_awaitable);
        }
    }
}

Clients connect_all(asio::io_context& io, const docent::ClientConfig& config, int count) {
    Clients clients;
    for (int i = 0; i < count; ++i) {
        clients.push_back(std::make_unique<docent::Client>(io.get_executor(), config));
        clients.back()->start();
    }
    int connected = 0;
    for (auto& client : clients) {
        client->async_wait_connected({}, [&](docent::error_code ec) {
            if (ec) throw docent::Error(ec, "connecting"); // run() throws it
            ++connected;
        });
    }
    while (connected < count) io.run_one();
    return clients;
}

} // namespace

void run_contended(const Options& options) {
    const int count = options.number("clients");
    Contest contest(options);
    asio::io_context io{1};
    const Clients clients = connect_all(io, client_config(options), count);
    contest.open();
    const auto make = [&](int i) { return take_turns(*clients[static_cast<std::size_t>(i)], contest); };
    asio::co_spawn(io, run_side_by_side(count, make), [&](const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure); // run() throws it
        std::cout << "peer=docent work=contended clients=" << count << " " << contest << std::endl;
        for (const auto& client : clients) client->close();
    });
    io.run();
}
