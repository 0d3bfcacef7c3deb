// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace docent::chaos {

/// One of the processes that work. It does as its standard input says, one word a line: `pause` (finish what is under way and
/// report that), `go`, `renew` (a new session); it ends at the end of the input.
struct WorkerTask {
    std::string name; ///< `w3.1`: the second process in the third place
    std::filesystem::path folder;
    std::string connect;
    std::uint64_t seed = 0;
    std::chrono::milliseconds session_timeout{4000};
};

int run_worker(const WorkerTask& task);

} // namespace docent::chaos
