// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace docent::cli {

/// In at most six columns, for tables: `0s`, `59s`, `4m10s`, `2h05m`, `3d04h`, `400d`. Less than nothing, where clocks
/// disagree, is nothing.
std::string short_age(std::chrono::milliseconds age);

/// How old something is that was made at `created`, on the servers' clock in milliseconds since 1970, by this machine's clock.
std::chrono::milliseconds age_at(std::chrono::system_clock::time_point now, long long created);

} // namespace docent::cli
