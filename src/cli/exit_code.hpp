// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace docent::cli {

/// Exit codes, from sysexits.h and from shells. If CMD has ended by itself, `docent lock` exits with CMD's code.
namespace exit_code {
inline constexpr int success = 0;
inline constexpr int failure = 1;      // the server refused the request, or the node of `exists` does not exist
inline constexpr int usage = 64;       // nothing was sent
inline constexpr int unavailable = 69; // no ZooKeeper answered
inline constexpr int not_acquired = 75;
inline constexpr int lock_lost = 76;
inline constexpr int held_too_long = 124; // the code of timeout(1)
inline constexpr int not_executable = 126;
inline constexpr int not_found = 127;
constexpr int by_signal(int number) {
    return 128 + number;
}
} // namespace exit_code

} // namespace docent::cli
