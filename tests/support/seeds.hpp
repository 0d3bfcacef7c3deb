// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace docent {

/// Returns the number in a variable of the environment, or the usual number without this variable. Throws if it is no number.
inline std::uint64_t number_from(const char* variable, std::uint64_t usual) {
    const char* const wanted = std::getenv(variable);
    if (!wanted) return usual;
    const std::string_view text = wanted;
    std::uint64_t number = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (ec != std::errc{} || end != text.data() + text.size())
        throw std::invalid_argument(std::string(variable) + " is no number: " + wanted);
    return number;
}

/// Returns the number of seeds for a scenario: the usual number, or that in DOCENT_SCENARIO_SEEDS.
inline std::uint64_t seeds(std::uint64_t usual) {
    return number_from("DOCENT_SCENARIO_SEEDS", usual);
}

/// Returns the number of repetitions in a test. With a sanitizer, about a tenth of them is enough.
template <typename Number> constexpr Number repetitions(Number usual) {
#ifdef DOCENT_SANITIZED
    return usual / 10 + 1;
#else
    return usual;
#endif
}

} // namespace docent
