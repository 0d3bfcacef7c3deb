// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace docent::chaos {

struct Options {
    std::uint64_t seed = 1;
    double minutes = 2;
    std::size_t clients = 8;
    std::size_t curators = 0;             ///< Java processes with Curator's clients
    std::vector<std::string> faults = {}; ///< beginnings of their names; empty: all
    std::filesystem::path keep = {};      ///< where the histories stay; empty: nowhere, unless there is a violation
    std::chrono::milliseconds session_timeout{4000};
};

/// Throws std::invalid_argument.
Options read_options(const std::vector<std::string>& words);

/// Runs it; false if there is a violation that is not ZooKeeper's own.
bool run(const Options& options, const std::string& program);

/// Checks histories that were kept; false as above.
bool check(const std::filesystem::path& folder);

} // namespace docent::chaos
