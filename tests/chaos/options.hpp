// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/checks.hpp"
#include "checker/transaction_log.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace docent::chaos {

struct Options {
    std::uint64_t seed = 1;
    double minutes = 2;
    std::size_t clients = 8;
    std::size_t curators = 0;             ///< Java processes with Apache Curator
    std::vector<std::string> faults = {}; ///< prefixes of their names; empty: all
    std::filesystem::path keep = {};      ///< folder for the histories; empty: keep them only after a violation
    std::chrono::milliseconds session_timeout{4000};
    bool tls = false; ///< docent's workers reach the servers through TLS
};

/// Throws std::invalid_argument.
Options read_options(const std::vector<std::string>& words);

/// Runs chaos. Returns false if there is a violation that is not ZooKeeper's.
bool run(const Options& options, const std::string& program);

/// Checks histories that were kept. Returns false as run() does.
bool check(const std::filesystem::path& folder);

/// Prints the figures of a run.
void print_figures(std::ostream& out, const History& history, const TransactionLogs& logs);
/// Prints every violation, the first ten with their stories, and the number of ZooKeeper's and of docent's. Leaves out
/// suspected orphans without evidence. Returns false if docent has a violation.
bool print_violations(std::ostream& out, Violations violations, const History& history, const TransactionLogs& logs,
                      const std::filesystem::path& folder);

} // namespace docent::chaos
