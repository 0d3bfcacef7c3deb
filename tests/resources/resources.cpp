// SPDX-License-Identifier: Apache-2.0

// Measures the resources that docent uses of this process and of a server, and checks that they are released: over many lock
// cycles, reconnects and expiries, for many waiters on one client, and when clients are closed at any moment, beside forks.
// usage: resources [--all] [WORK]

#include "works.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace docent::resources {
namespace {

struct Work {
    std::string_view name;
    void (*run)(Report&, const testing::TestingServer&, int);
    int few;
    int all;
};
constexpr std::array works{
    Work{"cycles", count_cycles, 1'000, 100'000}, Work{"reconnects", count_reconnects, 20, 1'000},
    Work{"expiries", count_expiries, 1, 200},     Work{"waiters", count_waiters, 4, 100},
    Work{"closings", count_closings, 60, 1'000},
};

int run_works(const std::vector<std::string_view>& words) {
    const bool all = std::find(words.begin(), words.end(), "--all") != words.end();
    const auto is_meant = [&](const Work& work) { return std::find(words.begin(), words.end(), work.name) != words.end(); };
    const bool some = std::any_of(works.begin(), works.end(), is_meant);
    if (words.size() != (all ? 1u : 0u) + (some ? 1u : 0u)) {
        std::printf("usage: resources [--all] [cycles|reconnects|expiries|waiters|closings]\n");
        return 2;
    }
    const testing::TestingServer server(
        {.tick_time = std::chrono::milliseconds{100}, .properties = {{"maxSessionTimeout", "300000"}}});
    Report report;
    for (const Work& work : works) {
        if (!some || is_meant(work)) work.run(report, server, all ? work.all : work.few);
    }
    return report.exit_code();
}

/// Starts this program again with a setting of glibc: by default each thread keeps some freed memory and counts it as used.
void count_exactly(char** argv) {
    constexpr const char* variable = "GLIBC_TUNABLES";
    if (std::getenv(variable) != nullptr) return;
    ::setenv(variable, "glibc.malloc.tcache_count=0", 1);
    ::execv("/proc/self/exe", argv);
    throw std::system_error(errno, std::generic_category(), "execv");
}

} // namespace
} // namespace docent::resources

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    try {
        docent::resources::count_exactly(argv);
        return docent::resources::run_works({argv + 1, argv + argc});
    } catch (const std::exception& e) {
        std::printf("resources: %s\n", e.what());
        return 1;
    }
}
