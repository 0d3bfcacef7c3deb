// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "common/processes.hpp"
#include "waiting_options.hpp"
#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

/// The last turns. The holder writes them.
struct Turns {
    std::atomic<int> processes_ready = 0;
    std::atomic<int> inside = 0;
    std::atomic<int> overlaps = 0;
    std::atomic<int> last_process = -1;
    std::atomic<std::int64_t> in_a_row = 0;
    std::atomic<bool> some_wait = false;         ///< another process has had a turn, or there is none
    std::atomic<bool> any_ended = false;         ///< a process takes no more turns
    std::atomic<std::int64_t> most_in_a_row = 0; ///< of one process, while all processes take turns
    std::atomic<std::int64_t> count = 0;
};

void take_turns(docent::Client& client, const docent::LockOptions& options, const Window& window, Turns& turns, int process,
                int processes) {
    docent::InterProcessMutex mutex{client, "/benchmark/local", options};
    while (!window.is_over()) {
        const docent::Lease lease = mutex.acquire();
        if (++turns.inside != 1) ++turns.overlaps;
        const int last = turns.last_process.exchange(process);
        turns.in_a_row = last == process ? turns.in_a_row + 1 : 1;
        if (processes == 1 || (last != process && last != -1)) turns.some_wait = true;
        if (turns.some_wait && !turns.any_ended) {
            turns.most_in_a_row = std::max<std::int64_t>(turns.most_in_a_row, turns.in_a_row);
        }
        if (window.is_open()) ++turns.count;
        --turns.inside;
    }
    turns.any_ended = true;
}

void run_process(const Options& options, Turns& turns, int index, int processes, int threads) {
    docent::Client client{client_config(options)};
    client.start();
    client.wait_connected();
    ++turns.processes_ready;
    while (turns.processes_ready < processes) std::this_thread::sleep_for(1ms);
    const Window window{options};
    const docent::LockOptions lock_options = waiting_options(options);
    std::vector<std::jthread> all;
    all.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i)
        all.emplace_back([&] { take_turns(client, lock_options, window, turns, index, processes); });
}

} // namespace

void run_local(const Options& options) {
    const int processes = options.number("processes", 1);
    const int threads = options.number("threads", 16);
    const Window window{options};
    const auto turns = docent::test::make_shared_by_processes<Turns>();
    in_processes(processes, [&](int index) { run_process(options, *turns, index, processes, threads); });
    std::cout << "peer=docent work=local processes=" << processes << " threads=" << threads
              << " local_handovers=" << options.number("local-handovers", 0) << " per_s=" << window.per_second(turns->count)
              << " most_in_a_row=" << turns->most_in_a_row << " overlaps=" << turns->overlaps << std::endl;
}
