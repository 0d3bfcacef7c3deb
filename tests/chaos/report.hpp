// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/checks.hpp"
#include "checker/transaction_log.hpp"

#include <filesystem>
#include <iosfwd>

namespace docent::chaos {

/// Figures of a run.
void print_figures(std::ostream& out, const History& history, const TransactionLogs& logs);
/// Every violation with its story, and how many of them are whose; false if there is one that is not ZooKeeper's own.
bool print_violations(std::ostream& out, Violations violations, const History& history, const TransactionLogs& logs,
                      const std::filesystem::path& folder);

} // namespace docent::chaos
