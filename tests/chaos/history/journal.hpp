// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

namespace docent::chaos {

/// CLOCK_BOOTTIME in nanoseconds. All processes of the machine share it, and leases use it.
std::int64_t now();

/// The wall clock in nanoseconds. Servers use it in their logs.
std::int64_t wall_now();

/// Writes a history: one line for each event, `TIME KIND FIELD...`. The line is in the file when add() returns, so it survives
/// SIGKILL. Thread safety: all members from any thread.
class Journal {
public:
    /// Throws std::system_error.
    explicit Journal(const std::filesystem::path& file);

    void add(const std::string& event) { add(now(), event); }
    void add(std::int64_t time, const std::string& event);
    /// Records that a work still owned its lock at this time. Replaces the last line if that said the same of an earlier time.
    void still(std::int64_t time, std::int64_t work);

private:
    void write(const std::string& line);

    std::mutex mutex_;
    posix::UniqueFd file_;
    std::int64_t end_ = 0;        // of the file's content
    std::int64_t last_ = 0;       // start of the last line
    std::int64_t last_still_ = 0; // the work, if the last line is its `still`; otherwise 0
};

} // namespace docent::chaos
