// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

namespace docent::chaos {

/// CLOCK_BOOTTIME in nanoseconds: what all processes of this machine share, and leases go by.
std::int64_t now();

/// The clock on the wall, in nanoseconds, by which servers note the time in their logs.
std::int64_t wall_now();

/// A history that is being written: one line an event, `TIME KIND FIELD...`. Each is in the file when add() returns, so it
/// outlives a SIGKILL. Thread safety: all members from any thread.
class Journal {
public:
    /// Throws std::system_error.
    explicit Journal(const std::filesystem::path& file);

    void add(const std::string& event) { add(now(), event); }
    void add(std::int64_t time, const std::string& event);
    /// A work still owned at that time. Replaces the last line if that said the same of an earlier time.
    void still(std::int64_t time, std::int64_t work);

private:
    void write(const std::string& line);

    std::mutex mutex_;
    posix::UniqueFd file_;
    std::int64_t end_ = 0;        // of the file
    std::int64_t last_ = 0;       // where the last line begins
    std::int64_t last_still_ = 0; // the work of which that line says that it still owned; 0: another event
};

} // namespace docent::chaos
