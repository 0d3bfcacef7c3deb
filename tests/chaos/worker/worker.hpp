// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace docent::chaos {

/// The task of a worker process. The worker reads commands from its standard input, one a line: `pause` (finish all works and
/// report), `go`, `renew` (a new session). It ends at the end of the input.
struct WorkerTask {
    std::string name; ///< `w3.12`: in place 3, the 12th process of the run
    std::filesystem::path folder;
    std::string connect;
    std::uint64_t seed = 0;
    std::chrono::milliseconds session_timeout{4000};
};

int run_worker(const WorkerTask& task);

} // namespace docent::chaos
