// SPDX-License-Identifier: Apache-2.0
#include <docent/path.hpp>

#include <benchmark/benchmark.h>

#include <string>

namespace docent {
namespace {

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

} // namespace
} // namespace docent
