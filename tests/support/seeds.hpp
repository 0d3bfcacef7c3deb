// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

namespace docent {

/// A number from the environment, or the usual one.
inline std::uint64_t seeds_from(const char* variable, std::uint64_t usual) {
    const char* wanted = std::getenv(variable);
    return wanted ? std::strtoull(wanted, nullptr, 10) : usual;
}

/// How many seeds a scenario runs with: more with DOCENT_SCENARIO_SEEDS in the environment.
inline std::uint64_t seeds(std::uint64_t usual) {
    return seeds_from("DOCENT_SCENARIO_SEEDS", usual);
}

/// How often a test repeats something: a sanitizer learns as much from a tenth of it.
template <typename Number> constexpr Number repetitions(Number usual) {
#ifdef DOCENT_SANITIZED
    return usual / 10 + 1;
#else
    return usual;
#endif
}

} // namespace docent
