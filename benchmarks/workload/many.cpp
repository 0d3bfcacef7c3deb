// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "coroutines.hpp"
#include "works.hpp"

#include <docent/recipes/inter_process_mutex.hpp>

#include <iostream>
#include <string>

namespace {

asio::awaitable<void> take_and_release(docent::Client& client, std::string path, Tally& cycles) {
    docent::InterProcessMutex mutex{client, path};
    while (!cycles.is_over()) {
        docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
        co_await lease.async_release(asio::use_awaitable);
        cycles.add();
    }
}

asio::awaitable<void> take_all(docent::Client& client, int locks, Tally& cycles) {
    const auto make = [&](int i) { return take_and_release(client, "/benchmark/many/" + std::to_string(i), cycles); };
    co_await run_side_by_side(locks, make);
}

} // namespace

void run_many(const Options& options) {
    const int locks = options.number("locks");
    Tally cycles(options);
    run_with_client(options, [&](docent::Client& client) { return take_all(client, locks, cycles); });
    std::cout << "peer=docent work=many locks=" << locks << " " << cycles << std::endl;
}
