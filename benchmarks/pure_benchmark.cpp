// SPDX-License-Identifier: Apache-2.0
#include "queue/contender.hpp"

#include <docent/path.hpp>
#include <docent/retry_policy.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

/// Children in random order, as a server lists them.
std::vector<std::string> shuffled_children(int count) {
    std::vector<std::string> names;
    std::mt19937 random(1);
    for (int i = 0; i < count; ++i) {
        char name[64];
        std::snprintf(name, sizeof name, "_c_%08x-8e3a-4cdb-a04a-63bb26bedfc5-lock-%010d", static_cast<unsigned>(random()), i);
        names.emplace_back(name);
    }
    std::shuffle(names.begin(), names.end(), random);
    return names;
}

std::string last_in_line(const std::vector<std::string>& children) {
    return *std::max_element(children.begin(), children.end(),
                             [](const auto& a, const auto& b) { return a.substr(a.size() - 10) < b.substr(b.size() - 10); });
}

/// A waiter's work for one list of the queue.
void sort_and_admit(benchmark::State& state) {
    const auto children = shuffled_children(static_cast<int>(state.range(0)));
    const auto self = last_in_line(children);
    const auto names = mutex_names();
    for (auto _ : state) benchmark::DoNotOptimize(admit(queue_up_to(names, children, self), self));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sort_and_admit)->Arg(1)->Arg(10)->Arg(100)->Arg(1000);

void check_lock_path(benchmark::State& state) {
    const std::string path = "/locks/nightly/_c_df8b2f7d-8e3a-4cdb-a04a-63bb26bedfc5-lock-0000000000";
    for (auto _ : state) benchmark::DoNotOptimize(check_path(path));
}
BENCHMARK(check_lock_path);

void check_path_beyond_ascii(benchmark::State& state) {
    const std::string path = "/sperren/n\xc3\xa4"
                             "chtlich/\xe6\x97\xa5\xe6\x9c\xac";
    for (auto _ : state) benchmark::DoNotOptimize(check_path(path));
}
BENCHMARK(check_path_beyond_ascii);

void pause_before_each_of_29_retries(benchmark::State& state) {
    const RetryPolicy policy = RetryPolicy::exponential_backoff(100ms, 29, 5s);
    std::uint64_t random = 1;
    for (auto _ : state) {
        for (int retry = 0; policy.pause_before(retry, 0ms, random); ++retry) random = random * 6364136223846793005u + 1;
        benchmark::DoNotOptimize(random);
    }
}
BENCHMARK(pause_before_each_of_29_retries);

} // namespace
} // namespace docent::detail
