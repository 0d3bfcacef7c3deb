// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "coroutines.hpp"
#include "works.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/transaction.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

namespace {

/// Changes one node again and again. Each change passes only while the lock is held.
asio::awaitable<void> commit_in_turn(docent::Client& client, const docent::Lease& lease, std::string path, Tally& made) {
    docent::CreateOptions create;
    create.parents = docent::Parents::container;
    create.if_exists = docent::IfExists::set_data; // the node of an earlier run
    co_await client.async_create(path, std::string(), create, asio::use_awaitable);
    while (!made.is_over()) {
        docent::Transaction transaction;
        transaction.guard(lease).set_data(path, "changed");
        co_await client.async_commit(std::move(transaction), asio::use_awaitable);
        made.add();
    }
}

asio::awaitable<void> commit_side_by_side(docent::Client& client, int n, Tally& made) {
    docent::InterProcessMutex mutex{client, "/benchmark/transaction-lock"};
    const docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
    made.open();
    const auto make = [&](int i) { return commit_in_turn(client, lease, "/benchmark/transaction/" + std::to_string(i), made); };
    co_await run_side_by_side(n, make);
}

} // namespace

void run_transaction(const Options& options) {
    const int n = options.number("n");
    if (n == 0) throw std::invalid_argument("--n needs at least one transaction");
    Tally made(options);
    run_with_client(options, [&](docent::Client& client) { return commit_side_by_side(client, n, made); });
    std::cout << "peer=docent work=transaction n=" << n << " " << made << std::endl;
}
