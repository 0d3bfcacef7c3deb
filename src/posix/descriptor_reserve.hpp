// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/channel.hpp"

#include <cstddef>
#include <vector>

#include <fcntl.h>

namespace docent::posix {

/// Throws std::system_error if fewer than `count` descriptors are free, so that the caller fails before it begins.
inline void require_descriptors(std::size_t count) {
    std::vector<UniqueFd> reserve;
    while (reserve.size() < count) {
        reserve.emplace_back(::open("/", O_PATH | O_CLOEXEC));
        if (!reserve.back()) throw last_error("cannot open what is needed");
    }
}

} // namespace docent::posix
