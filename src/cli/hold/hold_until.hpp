// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/hold.hpp"
#include "cli/hold/signals.hpp"

#include <chrono>
#include <optional>

namespace docent::cli {

/// Holds until `end`, or for ever. A signal, a loss, a request of another client, or --max-hold ends the hold earlier. Returns
/// false after a loss.
bool hold_until(std::optional<std::chrono::steady_clock::time_point> end, const HeldLeases& held, Signals& signals);

/// The output of a hold without a program: `NODE TOKEN`, a line for each lease.
std::string listed(const HeldLeases& held);

} // namespace docent::cli
