// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace docent::cli {

/// An age in at most six columns, for tables: `0s`, `59s`, `4m10s`, `2h05m`, `3d04h`, `400d`. A negative age, from clocks that
/// differ, is `0s`.
std::string short_age(std::chrono::milliseconds age);

/// The age of a node by this machine's clock. `created`: its time on the servers' clock, in milliseconds since 1970.
std::chrono::milliseconds age_at(std::chrono::system_clock::time_point now, long long created);

} // namespace docent::cli
