// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "coroutines.hpp"
#include "works.hpp"

#include <docent/recipes/inter_process_mutex.hpp>

#include <iostream>

namespace {

asio::awaitable<void> measure_awaited(docent::Client& client, Cycles& cycles) {
    docent::InterProcessMutex mutex{client, "/benchmark/coroutine"};
    for (int i = -cycles.warmup(); i < cycles.n(); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
        const auto acquired = std::chrono::steady_clock::now();
        co_await lease.async_release(asio::use_awaitable);
        cycles.add(i, begin, acquired);
    }
}

} // namespace

void run_coroutine(const Options& options) {
    Cycles cycles(options);
    run_with_client(options, [&](docent::Client& client) { return measure_awaited(client, cycles); });
    std::cout << "peer=docent work=coroutine " << cycles << std::endl;
}
