// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/checks.hpp"
#include "checker/transaction_log.hpp"

#include <filesystem>
#include <iosfwd>

namespace docent::chaos {

/// Prints the figures of a run.
void print_figures(std::ostream& out, const History& history, const TransactionLogs& logs);
/// Prints every violation with its story, and the number of ZooKeeper's and of docent's. Returns false if docent has one.
bool print_violations(std::ostream& out, Violations violations, const History& history, const TransactionLogs& logs,
                      const std::filesystem::path& folder);

} // namespace docent::chaos
