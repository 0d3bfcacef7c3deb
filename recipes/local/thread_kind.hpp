// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "local/thread_key.hpp"

#include <cstddef>

namespace docent::detail {

/// What two processors write to should be so far apart, or each would wait for the other one's cache.
inline constexpr std::size_t apart = 64;

/// Threads are told apart into so many kinds, in the order in which they came, so that few of one kind run at once.
inline constexpr std::size_t kinds_of_threads = 8;
inline std::size_t kind_of_this_thread() {
    return this_thread_key() % kinds_of_threads;
}

} // namespace docent::detail
