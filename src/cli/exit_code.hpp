// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace docent::cli {

/// Exit codes, as in sysexits.h and as a shell gives them. `docent lock` otherwise exits as its command did.
namespace exit_code {
inline constexpr int success = 0;
inline constexpr int failure = 1;      // refused by the server, or the answer to `exists` is no
inline constexpr int usage = 64;       // nothing was sent
inline constexpr int unavailable = 69; // no ZooKeeper answered
inline constexpr int not_acquired = 75;
inline constexpr int lock_lost = 76;
inline constexpr int held_too_long = 124; // as timeout(1) has it
inline constexpr int not_executable = 126;
inline constexpr int not_found = 127;
constexpr int by_signal(int number) {
    return 128 + number;
}
} // namespace exit_code

} // namespace docent::cli
