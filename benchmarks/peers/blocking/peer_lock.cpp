// SPDX-License-Identifier: Apache-2.0
#include "peer_lock.hpp"

#include "common/figures.hpp"

#include <chrono>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

using std::chrono::steady_clock;

namespace {

constexpr auto usage = R"(options: --connect H:P --kind KIND --work WORK ...
  free       --n N [--warmup N]
  contended  --clients N [--hold-us N] [--pause-us N] --ms N [--warmup-ms N]
  rtt        --n N
Works, options and figures are those of lock_workload.
)";

MakePeerLock make_lock; // set by run_peer(), before there is any other thread
std::string peer_name;

void run_free(const Options& options) {
    Cycles cycles(options);
    const auto lock = make_lock(options, "free");
    int warmup_left = cycles.warmup();
    std::int64_t requests_before = 0;
    const auto acquire = [&] {
        if (warmup_left-- == 0) requests_before = lock->requests();
        lock->acquire();
    };
    cycles.measure(acquire, [&] { lock->release(); });
    const std::int64_t requests = lock->requests() - requests_before;
    std::cout << "peer=" << peer_name << " work=free " << cycles << " requests=" << static_cast<double>(requests) / cycles.n()
              << std::endl;
}

void take_turns(PeerLock& lock, Contest& contest) {
    while (!contest.is_over()) {
        lock.acquire();
        contest.enter(&lock);
        if (contest.hold().count() > 0) std::this_thread::sleep_for(contest.hold());
        contest.leave(&lock);
        lock.release();
        if (contest.pause().count() > 0) std::this_thread::sleep_for(contest.pause());
    }
}

void run_contended(const Options& options) {
    const int count = options.number("clients");
    Contest contest(options);
    std::vector<std::unique_ptr<PeerLock>> locks;
    locks.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) locks.push_back(make_lock(options, "contended"));
    contest.open();
    {
        std::vector<std::jthread> threads;
        threads.reserve(locks.size());
        for (auto& lock : locks) threads.emplace_back([&contest, &lock = *lock] { take_turns(lock, contest); });
    }
    std::int64_t requests = 0;
    for (const auto& lock : locks) requests += lock->requests();
    std::cout << "peer=" << peer_name << " work=contended clients=" << count << " " << contest
              << " requests=" << static_cast<double>(requests) / static_cast<double>(contest.all_turns()) << std::endl;
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
