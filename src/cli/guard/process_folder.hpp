// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// A process as /proc shows it. Process id and start time together name one process, because ids are used again.
struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0;
    bool ended = false;           // all threads have ended; the parent has not collected the process yet
    bool leaderless = false;      // the first thread has ended, others run
    std::uint64_t start_time = 0; // in clock ticks since boot
    bool hidden = false;          // listed as a child, but without a visible /proc/PID: only `pid` and `parent` are known
    friend bool operator==(const ProcessEntry&, const ProcessEntry&) = default;
};

/// Parses the text of /proc/PID/stat. The second field is a name in parentheses, which the process chooses freely.
std::optional<ProcessEntry> parse_process_stat(std::string_view text);

/// Whether /proc shows the PID namespace in which this process has the id `self`, by the text of /proc/self/status. The /proc
/// of another namespace shows another id, or several.
bool is_own_status(std::string_view text, pid_t self);

/// The folder /proc. It is opened once, so a later mount over it has no effect.
class ProcessFolder {
public:
    /// Throws std::runtime_error, with advice, if /proc does not show the processes of this PID namespace.
    ProcessFolder();

    int fd() const noexcept { return folder_.get(); }

    /// All processes; nothing if they cannot be read now, for example without descriptors or memory.
    std::optional<std::vector<ProcessEntry>> read_table() const;

    /// The running descendants of `root`; nothing if they cannot be read now. May miss a process whose parent ends meanwhile.
    /// Reads the kernel's lists of children, so the number of other processes does not matter. Without these lists in the
    /// kernel (CONFIG_PROC_CHILDREN), reads the table of all processes. A /proc that is mounted with `hidepid` does not show
    /// processes that docent may not trace. docent finds those that it may signal in the lists all the same.
    std::optional<std::vector<ProcessEntry>> read_descendants(pid_t root) const;
    /// The children of all threads of `parent`, also children that have ended; nothing if the lists cannot be read now.
    std::optional<std::vector<pid_t>> read_children(pid_t parent) const;

    /// Whether a process was started with this entry (`NAME=value`) in its environment. False if the environment may not be
    /// read, or if the process is in an exec for more than a tenth of a second; nothing if it cannot be read now.
    std::optional<bool> has_in_environment(const ProcessEntry& process, std::string_view entry) const;

private:
    std::optional<ProcessEntry> read_process(pid_t pid) const;

    posix::UniqueFd folder_;
    bool lists_children_ = false;
};

/// Refers to one process, and never to a later process with the same id: an open /proc/PID is a pidfd.
class ProcessHandle {
public:
    /// Makes an empty handle if no process has this id.
    ProcessHandle(const ProcessFolder& folder, pid_t pid);

    explicit operator bool() const noexcept { return static_cast<bool>(descriptor_); }
    /// The process as it is now; nothing if it has ended.
    std::optional<ProcessEntry> look() const;
    /// Sends a signal to this process, and never to another one. Returns whether it was sent. On kernels before 5.1, without
    /// pidfd, it checks the id again and uses it.
    bool send(int signal) const;

private:
    pid_t pid_ = 0;
    posix::UniqueFd descriptor_;
};

/// Sends the signal to the process `seen`, and not to a later process with the same id. Returns true if the process exists and
/// may be signalled, or if that cannot be found out without descriptors or memory.
bool send_signal(const ProcessFolder& folder, const ProcessEntry& seen, int signal);

/// The running descendants of `root`.
std::vector<ProcessEntry> find_descendants(pid_t root, const std::vector<ProcessEntry>& table);

/// From now on, descendants that lose their parent become children of this process, not of init. Returns false on a failure.
bool adopt_orphans() noexcept;

/// Whether this process has children. Children from before an exec count too.
bool has_children() noexcept;

} // namespace docent::cli
