// SPDX-License-Identifier: Apache-2.0
#include "names_in.hpp"
#include "works.hpp"

#include <array>
#include <cstdio>
#include <fstream>

#include <malloc.h>

namespace docent::resources {
namespace {

// Allows for a few allocations. Only a heartbeat notices that a lease is gone; the comparison waits for it.
constexpr std::int64_t heap_slack = 64L * 1024;
constexpr std::int64_t resident_slack = 16L * 1024 * 1024; // stacks, mappings, and unused holes

std::int64_t heap_bytes() {
    const auto heap = ::mallinfo2();
    return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

std::int64_t resident_bytes() {
    ::malloc_trim(0); // returns unused memory to the system
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) return 1024 * std::stol(line.substr(6));
    }
    return 0;
}

/// Resources whose number must not grow.
struct Countable {
    const char* name;
    std::int64_t Usage::*count;
};
constexpr std::array countables{
    Countable{"threads", &Usage::threads},           Countable{"descriptors", &Usage::descriptors},
    Countable{"watches", &Usage::watches},           Countable{"nodes", &Usage::nodes},
    Countable{"ephemeral", &Usage::ephemeral_nodes},
};

bool given_back(const Usage& before, const Usage& now, std::int64_t tables) {
    for (const Countable& each : countables) {
        if (now.*each.count > before.*each.count) return false;
    }
    return now.heap <= before.heap + heap_slack + tables && now.resident <= before.resident + resident_slack + 8 * tables;
}

} // namespace

Usage usage(const testing::TestingServer& server) {
    return {.heap = heap_bytes(),
            .resident = resident_bytes(),
            .threads = std::ssize(test::names_in("/proc/self/task")),
            .descriptors = std::ssize(test::names_in("/proc/self/fd")),
            .watches = server.metric("zk_watch_count"),
            .nodes = server.metric("zk_znode_count"),
            .ephemeral_nodes = server.metric("zk_ephemerals_count")};
}

void Report::compare(const std::string& work, const testing::TestingServer& server, const Usage& before, std::int64_t tables) {
    Usage now;
    const bool all = test::eventually([&] { return given_back(before, now = usage(server), tables); });
    std::printf("%s: heap %+.1f KiB of %.1f, resident %+ld KiB", work.c_str(),
                static_cast<double>(now.heap - before.heap) / 1024, static_cast<double>(before.heap) / 1024,
                static_cast<long>(now.resident - before.resident) / 1024);
    for (const Countable& each : countables) {
        std::printf(", %s %ld -> %ld", each.name, static_cast<long>(before.*each.count), static_cast<long>(now.*each.count));
    }
    std::printf("\n");
    check(all, work + ": something was not given back");
}

void Report::check(bool holds, const std::string& what) {
    if (holds) return;
    ++failures_;
    std::printf("FAILED: %s\n", what.c_str());
}

} // namespace docent::resources
