// SPDX-License-Identifier: Apache-2.0
#include "raw_turns.hpp"

#include "common/window.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <thread>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// The turn of one thread.
class alignas(64) Turn {
public:
    void await() {
        while (is_mine_.exchange(0, std::memory_order_acquire) == 0) futex(FUTEX_WAIT_PRIVATE, 0);
    }
    void give() {
        is_mine_.store(1, std::memory_order_release);
        futex(FUTEX_WAKE_PRIVATE, 1);
    }

private:
    void futex(int operation, int value) { ::syscall(SYS_futex, &is_mine_, operation, value, nullptr, nullptr, 0); }

    std::atomic<std::uint32_t> is_mine_ = 0;
};

} // namespace

void run_turns(const Options& options) {
    const auto threads = static_cast<std::size_t>(options.number("threads"));
    if (threads == 0) throw std::invalid_argument("--threads needs at least one thread");
    const Window window(options);
    std::vector<Turn> turns(threads);
    std::int64_t count = 0; // only used by the thread that has the turn
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < threads; ++i) {
        all.emplace_back([&, i] {
            for (bool is_over = false; !is_over;) {
                turns[i].await();
                if (window.is_open()) ++count;
                is_over = window.is_over();
                turns[(i + 1) % threads].give();
            }
        });
    }
    turns.front().give();
    all.clear(); // joined
    std::cout << "peer=raw work=turns threads=" << threads << " per_s=" << window.per_second(count) << std::endl;
}
