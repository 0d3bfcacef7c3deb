// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "cli/arguments/parse.hpp"
#include "cli/nodes/transaction_file.hpp"

/// The result is a transaction, or a message that names the place of the mistake.
DOCENT_FUZZ_TARGET(transaction_file)(std::string_view text) {
    try {
        docent::cli::parse_transaction(text);
    } catch (const docent::cli::UsageError& e) {
        docent::fuzz::require(std::string_view(e.what()).starts_with("tx: "));
    }
}
