// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

namespace docent {

/// Returns a number from the environment, or the usual number.
inline std::uint64_t seeds_from(const char* variable, std::uint64_t usual) {
    const char* wanted = std::getenv(variable);
    return wanted ? std::strtoull(wanted, nullptr, 10) : usual;
}

/// Returns the number of seeds for a scenario. DOCENT_SCENARIO_SEEDS in the environment changes it.
inline std::uint64_t seeds(std::uint64_t usual) {
    return seeds_from("DOCENT_SCENARIO_SEEDS", usual);
}

/// Returns the number of repetitions in a test. With a sanitizer, a tenth of them is enough.
template <typename Number> constexpr Number repetitions(Number usual) {
#ifdef DOCENT_SANITIZED
    return usual / 10 + 1;
#else
    return usual;
#endif
}

} // namespace docent
