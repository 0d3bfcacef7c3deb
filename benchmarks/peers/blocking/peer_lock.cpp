// SPDX-License-Identifier: Apache-2.0
#include "peer_lock.hpp"

#include "common/durations.hpp"
#include "common/window.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

using std::chrono::steady_clock;

namespace {

constexpr auto usage = R"(options: --connect H:P --kind KIND --work WORK ...
  free       --n N [--warmup N]
  contended  --clients N [--hold-us N] [--pause-us N] --ms N [--warmup-ms N]
  rtt        --n N
as lock_workload does it.
)";

MakePeerLock make_lock; // set by run_peer(), before there is any other thread
std::string peer_name;

void run_free(const Options& options) {
    const int n = options.number("n");
    const int warmup = options.number("warmup", 10);
    const auto lock = make_lock(options, "free");
    Durations acquires;
    Durations releases;
    std::int64_t requests = 0;
    for (int i = -warmup; i < n; ++i) {
        if (i == 0) requests = -lock->requests();
        const auto begin = steady_clock::now();
        lock->acquire();
        const auto acquired = steady_clock::now();
        lock->release();
        if (i < 0) continue;
        acquires.add(acquired - begin);
        releases.add(steady_clock::now() - acquired);
    }
    requests += lock->requests();
    std::cout << "peer=" << peer_name << " work=free n=" << n << " warmup=" << warmup << " acquire_p50_us=" << acquires.at(0.5)
              << " acquire_p99_us=" << acquires.at(0.99) << " release_p50_us=" << releases.at(0.5)
              << " release_p99_us=" << releases.at(0.99) << " requests=" << static_cast<double>(requests) / n << std::endl;
}

/// Shared by the clients. Only the holder uses the members, except `inside`.
struct Contest {
    Window window;
    std::chrono::microseconds hold;
    std::chrono::microseconds pause;
    Durations handoffs = {};
    std::int64_t turns = 0;
    std::int64_t all_turns = 0;
    std::int64_t again = 0;         // turns of the client that also had the turn before
    std::int64_t released_ns = 0;   // time of the last release call
    const PeerLock* last = nullptr; // the client with the last turn
    std::atomic<int> inside = 0;
    std::atomic<int> overlaps = 0;
    std::mutex mutex = {}; // in case the lock does not exclude
};

void take_turn(PeerLock& lock, Contest& contest) {
    lock.acquire();
    const auto granted = steady_clock::now();
    if (++contest.inside != 1) ++contest.overlaps;
    {
        const std::scoped_lock guard(contest.mutex);
        ++contest.all_turns;
        if (contest.window.is_open()) {
            ++contest.turns;
            const auto released = steady_clock::time_point(steady_clock::duration(contest.released_ns));
            if (contest.last == &lock) ++contest.again;
            else if (contest.released_ns != 0) contest.handoffs.add(granted - released);
        }
    }
    if (contest.hold.count() > 0) std::this_thread::sleep_for(contest.hold);
    --contest.inside;
    {
        const std::scoped_lock guard(contest.mutex);
        contest.last = &lock;
        contest.released_ns = steady_clock::now().time_since_epoch().count();
    }
    lock.release();
    if (contest.pause.count() > 0) std::this_thread::sleep_for(contest.pause);
}

void run_contended(const Options& options) {
    const int count = options.number("clients");
    Contest contest{.window = Window(options),
                    .hold = std::chrono::microseconds{options.number("hold-us", 0)},
                    .pause = std::chrono::microseconds{options.number("pause-us", 0)}};
    std::vector<std::unique_ptr<PeerLock>> locks;
    locks.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) locks.push_back(make_lock(options, "contended"));
    contest.window.open();
    {
        std::vector<std::jthread> threads;
        threads.reserve(locks.size());
        for (auto& lock : locks) {
            threads.emplace_back([&contest, lock = lock.get()] {
                while (!contest.window.is_over()) take_turn(*lock, contest);
            });
        }
    }
    std::int64_t requests = 0;
    for (const auto& lock : locks) requests += lock->requests();
    std::cout << "peer=" << peer_name << " work=contended clients=" << count << " hold_us=" << contest.hold.count()
              << " per_s=" << contest.window.per_second(contest.turns) << " handoff_p50_us=" << contest.handoffs.at(0.5)
              << " handoff_p99_us=" << contest.handoffs.at(0.99) << " overlaps=" << contest.overlaps
              << " turns=" << contest.all_turns
              << " again=" << static_cast<double>(contest.again) / static_cast<double>(std::max<std::int64_t>(contest.turns, 1))
              << " requests=" << static_cast<double>(requests) / static_cast<double>(contest.all_turns) << std::endl;
}

void run_rtt(const Options& options) {
    const int n = options.number("n");
    const auto lock = make_lock(options, "rtt");
    Durations pings;
    for (int i = 0; i < n; ++i) {
        const auto begin = steady_clock::now();
        lock->ping();
        pings.add(steady_clock::now() - begin);
    }
    std::cout << "peer=" << peer_name << " work=rtt n=" << n << " rtt_p50_us=" << pings.at(0.5) << std::endl;
}

} // namespace

int run_peer(int argc, char** argv, const char* program, const std::string& peer, MakePeerLock make) {
    make_lock = std::move(make);
    peer_name = peer;
    return run_work(argc, argv, program, usage, {{"free", run_free}, {"contended", run_contended}, {"rtt", run_rtt}});
}
