// SPDX-License-Identifier: Apache-2.0
#include "common/tally.hpp"
#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/transaction.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

struct Commits {
    Tally made;
    int left;
};

/// Changes one node again and again. Each change passes only while the lock is held.
asio::awaitable<void> commit_in_turn(docent::Client& client, const docent::Lease& lease, std::string path, Commits& commits) {
    docent::CreateOptions create;
    create.parents = docent::Parents::container;
    create.if_exists = docent::IfExists::set_data; // the node of an earlier run
    co_await client.async_create(path, std::string(), create, asio::use_awaitable);
    while (!commits.made.is_over()) {
        docent::Transaction transaction;
        transaction.guard(lease).set_data(path, "changed");
        co_await client.async_commit(std::move(transaction), asio::use_awaitable);
        commits.made.add();
    }
}

asio::awaitable<void> commit_side_by_side(docent::Client& client, int n, Commits& commits) {
    docent::InterProcessMutex mutex{client, "/benchmark/transaction-lock"};
    const docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
    commits.made.open();
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer all_done{executor, asio::steady_timer::time_point::max()};
    for (int i = 0; i < n; ++i) {
        const std::string path = "/benchmark/transaction/" + std::to_string(i);
        asio::co_spawn(executor, commit_in_turn(client, lease, path, commits), [&](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure); // run() throws it
            if (--commits.left == 0) all_done.cancel();
        });
    }
    boost::system::error_code ignored; // the timer is cancelled
    co_await all_done.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

} // namespace

void run_transaction(const Options& options) {
    const int n = options.number("n");
    if (n == 0) throw std::invalid_argument("--n needs at least one transaction");
    asio::io_context io{1};
    docent::Client client{io.get_executor(), {.connect_string = options.text("connect"), .session_timeout = 30s}};
    client.start();
    Commits commits{.made = Tally(options), .left = n};
    asio::co_spawn(io, commit_side_by_side(client, n, commits), [&](const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure); // out of run()
        client.close();
    });
    io.run();
    std::cout << "peer=docent work=transaction n=" << n << " " << commits.made << std::endl;
}
