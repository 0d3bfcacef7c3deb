// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace docent::detail {

/// A number that no other thread of this process ever gets. The system uses thread ids again.
using ThreadKey = std::uint64_t;

inline ThreadKey this_thread_key() {
    static std::atomic<ThreadKey> last{0};
    thread_local const ThreadKey key = ++last;
    return key;
}

/// The distance in bytes between words that different processors write, so that they do not share a cache line.
inline constexpr std::size_t apart = 64;

/// Threads are divided into so many kinds, in the order of their first use, so that few threads of one kind run at once.
inline constexpr std::size_t kinds_of_threads = 8;
inline std::size_t kind_of_this_thread() {
    return this_thread_key() % kinds_of_threads;
}

} // namespace docent::detail
