// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace docent::chaos {

/// The task of a worker process. The worker reads commands from its standard input, one a line: `pause` (finish all works and
/// report), `go`, `renew` (a new session). It ends at the end of the input.
struct WorkerTask {
    std::string name; ///< `w3.12`: in place 3, the 12th process of the run
    std::filesystem::path folder;
    std::string connect; ///< with `tls://` in front, the folder has certificates
    std::uint64_t seed = 0;
    std::chrono::milliseconds session_timeout{4000};
};

int run_worker(const WorkerTask& task);

// The locks for which the workers compete.
inline constexpr std::string_view root = "/chaos";
inline constexpr std::array mutexes{"/chaos/mutex-0", "/chaos/mutex-1"};
inline constexpr auto read_write = "/chaos/read-write";
inline constexpr auto semaphore = "/chaos/semaphore";
inline constexpr int permits = 3;
inline constexpr auto semaphore_mutex = "/chaos/semaphore-mutex";
inline constexpr auto counter_lock = "/chaos/counter-lock";
inline constexpr auto store_lock = "/chaos/store-lock";
/// Progress is checked in each of these.
inline constexpr std::array resources{mutexes[0], mutexes[1], read_write, semaphore, semaphore_mutex, counter_lock, store_lock};

/// The folder of the certificates, in the folder of the run.
inline constexpr auto certificates = "certificates";

/// Its items are divided among the workers of docent.
inline constexpr auto partition = "/chaos-partition";
inline constexpr std::size_t partition_items = 6;

inline constexpr auto counter = "/chaos-counter";
inline constexpr auto ledger = "/chaos-ledger";
inline constexpr auto markers = "/docent/transactions";

} // namespace docent::chaos
