// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/process_folder.hpp"
#include "posix/unique_fd.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include <sys/types.h>

namespace docent::cli {

/// The cgroup (version 2) of a process.
struct CgroupPlace {
    std::string folder;   // where it is mounted
    bool is_root = false; // of all that the process sees
    friend bool operator==(const CgroupPlace&, const CgroupPlace&) = default;
};

/// From the texts of /proc/self/mountinfo and /proc/self/cgroup; nothing if no mounted cgroup of version 2 has us.
std::optional<CgroupPlace> find_cgroup(std::string_view mounts, std::string_view cgroups);

/// A cgroup for the command, inside of our own: all that the command starts is born in it, and the kernel kills all of it at
/// once, including what ignores signals, forks without end, or belongs to other users. Sets no limits. A process that is moved
/// to another cgroup, by systemd-run say, is no longer in it.
class CommandCgroup {
public:
    /// Null if there is no cgroup.kill (Linux 5.14), or if our cgroup is not for us to divide: it must be the topmost one that
    /// we see, as in a container, or delegated to us (systemd: Delegate=yes).
    static std::unique_ptr<CommandCgroup> make(const ProcessFolder& processes);

    ~CommandCgroup() { remove(); }
    CommandCgroup(const CommandCgroup&) = delete;
    CommandCgroup& operator=(const CommandCgroup&) = delete;

    /// Moves the calling process into it. Without that, it stays empty, and does no harm.
    void enter() const noexcept;
    /// SIGKILL to all.
    void kill() const noexcept;
    /// Whether something in it, or in a cgroup below it, still runs.
    bool is_populated() const;
    /// Those of all cgroups below it, too.
    std::unordered_set<pid_t> members() const;
    /// Removes it, once nothing is left to be killed. Processes that still run in it go on where they would be without it: in
    /// our cgroup. It stays if processes run in cgroups that the command has made inside of it.
    void remove() noexcept;

    /// For those who close all others.
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
};

} // namespace docent::cli
