// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "common/processes.hpp"
#include "waiting_options.hpp"
#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr int turns_per_write = 100;

/// Shared by all processes.
struct Room {
    std::atomic<int> readers = 0;
    std::atomic<int> writers = 0;
    std::atomic<int> overlaps = 0; ///< writers beside other holders
    std::atomic<int> processes_ready = 0;
    std::atomic<std::int64_t> reads = 0;
    std::atomic<std::int64_t> writes = 0;
};

void read_once(docent::InterProcessReadWriteLock& lock, Room& room) {
    const docent::Lease lease = lock.read_lock().acquire();
    ++room.readers;
    if (room.writers != 0) ++room.overlaps;
    --room.readers;
}

void write_once(docent::InterProcessReadWriteLock& lock, Room& room) {
    const docent::Lease lease = lock.write_lock().acquire();
    if (++room.writers != 1 || room.readers != 0) ++room.overlaps;
    --room.writers;
}

/// Takes the turns of one thread: one in a hundred is a write.
void read_mostly(docent::Client& client, const docent::LockOptions& options, const Window& window, Room& room, int first) {
    docent::InterProcessReadWriteLock lock{client, "/benchmark/readers", options};
    for (int turn = first; !window.is_over(); ++turn) {
        const bool writes = turn % turns_per_write == 0;
        writes ? write_once(lock, room) : read_once(lock, room);
        if (window.is_open()) ++(writes ? room.writes : room.reads);
    }
}

void run_process(const Options& options, Room& room, int index, int processes, int threads) {
    docent::Client client{{.connect_string = options.text("connect"), .session_timeout = 30s}};
    client.start();
    client.wait_connected();
    ++room.processes_ready;
    while (room.processes_ready < processes) std::this_thread::sleep_for(1ms);
    const Window window{options};
    const docent::LockOptions lock_options = waiting_options(options);
    std::vector<std::jthread> all;
    all.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i) { // spreads their writes over the hundred turns
        const int first = 1 + (index * threads + i) * turns_per_write / (processes * threads);
        all.emplace_back([&, first] { read_mostly(client, lock_options, window, room, first); });
    }
}

} // namespace

void run_readers(const Options& options) {
    const int processes = options.number("processes", 4);
    const int threads = options.number("threads", 4);
    const Window window{options};
    const SharedByProcesses<Room> room;
    in_processes(processes, [&](int index) { run_process(options, *room, index, processes, threads); });
    std::cout << "peer=docent work=readers processes=" << processes << " threads=" << threads
              << " keep_ms=" << options.number("keep-ms", 0) << " reads_per_s=" << window.per_second(room->reads)
              << " writes_per_s=" << window.per_second(room->writes) << " overlaps=" << room->overlaps << std::endl;
}
