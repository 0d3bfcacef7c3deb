// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace docent {

/// How many permits of a semaphore there are, and how many of them are out at one moment.
struct PermitUsage {
    std::int32_t limit = 0;
    /// Taken, or reserved: whoever is next in line has made its nodes already, so that this may be more than `limit`.
    std::int32_t out = 0;
    std::int32_t free() const noexcept { return out < limit ? limit - out : 0; }
    friend bool operator==(const PermitUsage&, const PermitUsage&) = default;
};

} // namespace docent
