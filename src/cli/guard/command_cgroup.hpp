// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/process_folder.hpp"
#include "posix/descriptors.hpp"

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace docent::cli {

/// The cgroup (version 2) of a process.
struct CgroupPlace {
    std::string folder;   // its folder in the mounted hierarchy
    bool is_root = false; // it is the topmost cgroup that the process sees
    friend bool operator==(const CgroupPlace&, const CgroupPlace&) = default;
};

/// Finds the cgroup from the texts of /proc/self/mountinfo and /proc/self/cgroup. Returns nothing if no mounted hierarchy of
/// version 2 contains this process.
std::optional<CgroupPlace> find_cgroup(std::string_view mounts, std::string_view cgroups);

/// A cgroup for CMD, inside docent's own cgroup. Every process that CMD starts begins in it. The kernel kills all its processes
/// at once, also processes that ignore signals, fork without end, or belong to other users. It sets no limits. A process that
/// is moved to another cgroup, for example by systemd-run, leaves it.
class CommandCgroup {
public:
    /// Returns null without cgroup.kill (Linux 5.14), or if docent may not make cgroups in its own cgroup. That must be the
    /// topmost cgroup that docent sees, as in a container, or be delegated (systemd: Delegate=yes).
    static std::unique_ptr<CommandCgroup> make(const ProcessFolder& processes);

    ~CommandCgroup() {
        if (!left_) remove();
    }
    CommandCgroup(const CommandCgroup&) = delete;
    CommandCgroup& operator=(const CommandCgroup&) = delete;

    /// Moves the calling process into the cgroup. If that fails, the cgroup stays empty.
    void enter() const noexcept;
    /// Sends SIGKILL to all processes.
    void kill() const noexcept;
    /// Whether a process runs in it or in a cgroup below it.
    bool is_populated() const;
    /// The processes in it and in all cgroups below it.
    std::unordered_set<pid_t> members() const;
    /// Removes the cgroup. Moves processes that still run in it to docent's cgroup. The cgroup stays if processes run in
    /// cgroups that CMD has made inside.
    void remove() noexcept;
    /// Leaves the removal to another process: the destructor does nothing.
    void leave() noexcept { left_ = true; }

    /// The open descriptors, for callers that close all other descriptors.
    static constexpr std::size_t descriptor_count = 4;
    std::array<int, descriptor_count> descriptors() const noexcept {
        return {parent_.get(), folder_.get(), kill_.get(), events_.get()};
    }

private:
    CommandCgroup(posix::UniqueFd parent, std::string name);

    posix::UniqueFd parent_;
    const std::string name_;
    posix::UniqueFd folder_;
    posix::UniqueFd kill_;
    posix::UniqueFd events_;
    bool left_ = false;
};

/// Finds all processes that run under a lock, in three ways:
/// - the members of CMD's cgroup, if it has one; misses processes that were moved to another cgroup;
/// - the descendants of `root`, a process that adopts orphans; also finds programs that write over their environment;
/// - the processes that were started with `mark` in their environment; also finds them after the end of `root`.
class HeldProcesses {
public:
    /// `spared` is a descendant that does not count; its own descendants do. `cgroup` may be null.
    HeldProcesses(std::shared_ptr<const ProcessFolder> processes, std::shared_ptr<const CommandCgroup> cgroup, pid_t root,
                  pid_t spared, std::string mark);

    /// Sends the signals to each process except `but`, which has had them already. Returns the number of processes signalled.
    /// Returns nothing if the search was incomplete, for example without descriptors. Processes of other users that docent may
    /// not signal do not count.
    ///
    /// The search takes longer the more processes the machine has. Any process can hold up the search for the mark, and for as
    /// long as it likes: nobody can read its environment while its memory is locked, as in an exec, or in a fault on a page of
    /// a dead network file system.
    std::optional<std::size_t> send(const std::vector<int>& signals, std::optional<pid_t> but = {}) const;
    /// Whether the cgroup has a member, or `root` has a descendant. Also true if that cannot be found out. Other processes
    /// cannot hold up this call.
    bool any_in_family() const;
    /// The process that the search for the mark examines, or examined when leave() ended it; otherwise 0. From any thread.
    pid_t searched() const { return searched_; }
    /// Signals no process any more, and ends a search under way as incomplete: children that docent starts from now on are not
    /// CMD's.
    void leave() const { left_ = true; }

    /// The first part of send(), which other processes do not hold up. Signals the descendants; SIGKILL also kills the cgroup.
    struct Family {
        std::unordered_set<pid_t> known; // spared, or signalled already; the second part skips them
        std::size_t sent = 0;            // the number of processes signalled
    };
    std::optional<Family> send_to_family(const std::vector<int>& signals, std::optional<pid_t> but) const;
    /// The second part: reads the table of all processes, for what the first part has missed.
    std::optional<std::size_t> send_to_others(const std::vector<int>& signals, Family family) const;

private:
    void send_to(const ProcessEntry& process, const std::vector<int>& signals, Family& family) const;

    const std::shared_ptr<const ProcessFolder> processes_;
    const std::shared_ptr<const CommandCgroup> cgroup_;
    const pid_t root_;
    const pid_t spared_;
    const std::string mark_;
    mutable std::atomic<pid_t> searched_{0};
    mutable std::atomic<bool> left_{false};
};

} // namespace docent::cli
