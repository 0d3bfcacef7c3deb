// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace docent {

/// The limit of a semaphore and the number of permits in use at one moment.
///
/// ```cpp
/// docent::PermitUsage usage{.limit = 3, .out = 2};
/// bool one_is_free = usage.free() > 0;
/// ```
/// @ingroup locks
struct PermitUsage {
    /// The limit of the semaphore: how many permits there are.
    std::int32_t limit = 0;
    /// How many permits are taken or reserved. The next waiter in line has already made its nodes,
    /// so this number may exceed `limit`.
    std::int32_t out = 0;
    /// How many permits an acquire could get at best; never negative.
    std::int32_t free() const noexcept { return out < limit ? limit - out : 0; }
    /// Whether all members are equal.
    friend bool operator==(const PermitUsage&, const PermitUsage&) = default;
};

} // namespace docent
