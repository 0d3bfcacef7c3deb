// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/hold.hpp"
#include "cli/signals.hpp"

#include <docent/client.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace docent::cli {

/// Holds until `end`, or for ever. A signal, a loss, a request of another client, or --max-hold ends the hold earlier. Returns
/// false after a loss.
bool hold_until(std::optional<std::chrono::steady_clock::time_point> end, const HeldLeases& held, Signals& signals);

/// The output of a hold without a program: `NODE TOKEN`, a line for each lease.
std::string listed(const HeldLeases& held);

/// `semaphore /s: --permits is 3 here, but 2 for ann; ...`, if the data of a permit's node names another number than `permits`;
/// else empty.
std::string other_limit_text(const std::string& path, std::int32_t permits, const std::string& data);

/// Reads some of the held permits in the background. Reports the first holder that was given another number of permits. Such a
/// semaphore has no common limit.
void report_other_limit(Client& client, const std::string& path, std::int32_t permits);

} // namespace docent::cli
