// SPDX-License-Identifier: Apache-2.0
#include <docent/retry_policy.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>

namespace docent {
namespace {

using namespace std::chrono_literals;

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
} // namespace docent
