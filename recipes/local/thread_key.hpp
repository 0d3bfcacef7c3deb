// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace docent::detail {

/// A number that no other thread of this process ever gets. The system uses thread ids again.
using ThreadKey = std::uint64_t;

inline ThreadKey this_thread_key() {
    static std::atomic<ThreadKey> last{0};
    thread_local const ThreadKey key = ++last;
    return key;
}

} // namespace docent::detail
