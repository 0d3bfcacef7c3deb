// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/hold.hpp"
#include "cli/hold/signals.hpp"

#include <chrono>
#include <optional>

namespace docent::cli {

/// Until then, or for ever, unless a signal, a loss, somebody who asks for it or its own limit ends it. False if it is lost.
bool hold_until(std::optional<std::chrono::steady_clock::time_point> end, const Held& held, Signals& signals);

/// What a hold without a program says of itself on standard output: `NODE TOKEN`, a line for each lease.
std::string listed(const Held& held);

} // namespace docent::cli
