// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace docent::cli {

/// `500ms`, `5s`, `2m`, `1h`, `7d`: a whole number and its unit. A number without a unit is in seconds, as flock has it.
/// Returns nothing if the text is not a duration, or if the duration is longer than a year.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The text of a duration, in the largest unit up to hours that needs no fraction: `1500ms`, `2s`, `2m`, `48h`.
std::string to_text(std::chrono::milliseconds duration);

} // namespace docent::cli
