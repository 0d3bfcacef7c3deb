// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a semaphore makes below its path (wire-format.md).

#include "queue/contender.hpp"

namespace docent::detail {

inline constexpr auto gate_name = "locks";    // a mutex: who holds it may take permits
inline constexpr auto leases_name = "leases"; // a node for each permit that is taken

/// `lease-`
inline QueueNames lease_names() {
    return {{{"lease-", ContenderKind::shared}}};
}

} // namespace docent::detail
