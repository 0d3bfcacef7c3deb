// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "cli/arguments/parse.hpp"

#include <string>

/// Each entry has a name; only docent's errors are thrown.
DOCENT_FUZZ_TARGET(config_file)(std::string_view text) {
    try {
        for (const auto& line : docent::cli::scan_config(std::string(text))) docent::fuzz::require(!line.name.empty());
    } catch (const docent::cli::UsageError&) {
    }
}
