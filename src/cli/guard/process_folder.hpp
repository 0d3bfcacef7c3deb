// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace docent::cli {

/// What /proc says about a process. The number and the start time together name one process: a number is used again.
struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0;
    bool ended = false;           // all of its threads have; its parent has not asked yet how
    bool leaderless = false;      // its first thread has ended, others run
    std::uint64_t start_time = 0; // in clock ticks since boot
    friend bool operator==(const ProcessEntry&, const ProcessEntry&) = default;
};

/// The text of /proc/PID/stat. The second field is a name between parentheses, in which the process may have put anything.
std::optional<ProcessEntry> parse_process_stat(std::string_view text);

/// The text of /proc/self/status: whether the /proc that it comes from shows the PID namespace in which we are `self`. Another
/// namespace's /proc shows another number for us, or several.
bool is_own_status(std::string_view text, pid_t self);

/// The folder /proc, opened once: what is mounted over it later changes nothing.
class ProcessFolder {
public:
    /// Throws std::runtime_error, with what to do, if /proc does not show the processes of our PID namespace.
    ProcessFolder();

    int fd() const noexcept { return folder_.get(); }

    /// All processes; nothing if they cannot be read for now, for want of descriptors say.
    std::optional<std::vector<ProcessEntry>> read_table() const;

    /// Whether a process was started with this entry (`NAME=value`) in its environment. False if we may not read that; nothing
    /// if it cannot be read for now.
    std::optional<bool> has_in_environment(const ProcessEntry& process, std::string_view entry) const;

private:
    posix::UniqueFd folder_;
};

/// One process, whatever becomes of its number: an open /proc/PID is a pidfd.
class ProcessHandle {
public:
    /// Without a process if there is none of that number.
    ProcessHandle(const ProcessFolder& folder, pid_t pid);

    explicit operator bool() const noexcept { return static_cast<bool>(descriptor_); }
    /// As it is now; nothing if it is gone.
    std::optional<ProcessEntry> look() const;
    /// Whether it was sent: never to another process. Kernels before 5.1 know no pidfd: there the number is asked once more
    /// whose it is, and used.
    bool send(int signal) const;

private:
    pid_t pid_ = 0;
    posix::UniqueFd descriptor_;
};

/// Sends it to the process that was seen as `seen`, and to no other one that has got its number. Returns whether the process
/// was there and we may signal it, or whether that cannot be known for want of descriptors.
bool send_signal(const ProcessFolder& folder, const ProcessEntry& seen, int signal);

} // namespace docent::cli
