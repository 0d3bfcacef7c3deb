// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"

#include <docent/recipes/lock_options.hpp>

#include <chrono>
#include <type_traits>

/// Returns the options `--keep-ms` and `--local-handovers`; 0 is the library's default. Throws if the library has no such
/// option.
template <typename LockOptions = docent::LockOptions> LockOptions waiting_options(const Options& options) {
    LockOptions result;
    if (const int keep = options.number("keep-ms", 0); keep > 0) {
        if constexpr (requires { result.keep_for; }) {
            result.keep_for = std::chrono::milliseconds{keep};
        } else {
            throw std::invalid_argument("--keep-ms: this library keeps no leases");
        }
    }
    if (const int handovers = options.number("local-handovers", 0); handovers > 0) {
        if constexpr (requires { result.max_local_handovers; }) {
            result.max_local_handovers = static_cast<std::remove_reference_t<decltype(result.max_local_handovers)>>(handovers);
        } else {
            throw std::invalid_argument("--local-handovers: this library hands nothing over locally");
        }
    }
    return result;
}
