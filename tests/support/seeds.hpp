// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

namespace docent {

/// How many seeds a scenario runs with: more with DOCENT_SCENARIO_SEEDS in the environment.
inline std::uint64_t seeds(std::uint64_t usual) {
    const char* wanted = std::getenv("DOCENT_SCENARIO_SEEDS");
    return wanted ? std::strtoull(wanted, nullptr, 10) : usual;
}

} // namespace docent
