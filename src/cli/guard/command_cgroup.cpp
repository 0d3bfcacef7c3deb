// SPDX-License-Identifier: Apache-2.0

#include "cli/guard/command_cgroup.hpp"
#include "posix/boot_clock.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <functional>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>

namespace docent::cli {
namespace {

/// systemd marks a delegated cgroup with these attributes. Only root may read the first one.
constexpr std::array delegate_attributes{"trusted.delegate", "user.delegate"};

/// Decodes mountinfo's escapes, such as \040 for a space.
std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        const bool escape = text[i] == '\\' && i + 3 < text.size() &&
                            std::from_chars(text.data() + i + 1, text.data() + i + 4, byte, 8).ptr == text.data() + i + 4;
        result += escape ? static_cast<char>(byte) : text[i];
        if (escape) i += 3;
    }
    return result;
}

/// Returns the path of `cgroup` relative to `root`, or nothing if `cgroup` is outside `root`. Both are in one hierarchy.
std::optional<std::string_view> below(std::string_view cgroup, std::string_view root) {
    if (root == "/") return cgroup;
    if (!cgroup.starts_with(root)) return std::nullopt;
    const auto rest = cgroup.substr(root.size());
    return rest.empty() || rest.front() == '/' ? std::optional(rest) : std::nullopt;
}

bool is_delegated(int folder) {
    return std::any_of(delegate_attributes.begin(), delegate_attributes.end(), [&](const char* name) {
        char value = 0;
        return ::fgetxattr(folder, name, &value, 1) == 1 && value == '1';
    });
}

posix::UniqueFd open_folder(int parent, const char* name) {
    return posix::UniqueFd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void add_members(int folder, std::unordered_set<pid_t>& members) {
    std::istringstream pids(posix::read_file_at(folder, "cgroup.procs").value_or(""));
    for (pid_t pid = 0; pids >> pid;) {
        if (pid > 0) members.insert(pid); // 0: a process of another PID namespace
    }
}

/// Calls `function(folder, name)` for each cgroup directly below `folder`.
void for_each_below(int folder, const std::function<void(int, const char*)>& function) {
    posix::UniqueFd fd = open_folder(folder, ".");
    const std::unique_ptr<DIR, int (*)(DIR*)> names(fd ? ::fdopendir(fd.get()) : nullptr, &::closedir);
    if (!names) return;
    fd.release();
    while (const dirent* const entry = ::readdir(names.get())) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
        const posix::UniqueFd child = open_folder(folder, entry->d_name);
        if (child) function(child.get(), entry->d_name);
    }
}

void add_members_below(int folder, std::unordered_set<pid_t>& members) {
    add_members(folder, members);
    for_each_below(folder, [&](int child, const char*) { add_members_below(child, members); });
}

void remove_empty_below(int folder) {
    for_each_below(folder, [&](int child, const char* name) {
        remove_empty_below(child);
        ::unlinkat(folder, name, AT_REMOVEDIR);
    });
}

bool move_to(int cgroup, pid_t pid) {
    const posix::UniqueFd file(::openat(cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC));
    const std::string text = std::to_string(pid);
    return file && ::write(file.get(), text.data(), text.size()) > 0;
}

} // namespace

std::optional<CgroupPlace> find_cgroup(std::string_view mounts, std::string_view cgroups) {
    std::string own;
    std::istringstream own_lines{std::string(cgroups)};
    for (std::string line; std::getline(own_lines, line);) {
        if (line.starts_with("0::/")) own = line.substr(3);
    }
    if (own.empty()) return std::nullopt;
    std::optional<CgroupPlace> place;
    std::istringstream mount_lines{std::string(mounts)};
    for (std::string line; std::getline(mount_lines, line);) {
        std::istringstream text(line); // ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS [TAG...] - TYPE ...
        const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
        const auto dash = std::find(words.begin(), words.end(), "-");
        if (words.size() < 5 || dash == words.end() || dash + 1 == words.end() || dash[1] != "cgroup2") continue;
        const auto path = below(own, unescaped(words[3]));
        if (!path || path->starts_with("/..")) continue; // outside of this process's cgroup namespace
        place = CgroupPlace{unescaped(words[4]) + std::string(*path == "/" ? "" : *path), own == "/"};
    }
    return place;
}

std::unique_ptr<CommandCgroup> CommandCgroup::make(const ProcessFolder& processes) {
    const auto place = find_cgroup(posix::read_file_at(processes.fd(), "self/mountinfo").value_or(""),
                                   posix::read_file_at(processes.fd(), "self/cgroup").value_or(""));
    if (!place) return nullptr;
    posix::UniqueFd parent = open_folder(AT_FDCWD, place->folder.c_str());
    struct statfs system {};
    if (!parent || ::fstatfs(parent.get(), &system) != 0 || system.f_type != CGROUP2_SUPER_MAGIC) return nullptr;
    if (!place->is_root && !is_delegated(parent.get())) return nullptr;
    const auto now = std::to_string(zk::BootClock::now().time_since_epoch().count());
    std::string name = "docent-" + std::to_string(::getpid()) + "-" + now;
    if (::mkdirat(parent.get(), name.c_str(), 0755) != 0) return nullptr;
    std::unique_ptr<CommandCgroup> made(new CommandCgroup(std::move(parent), std::move(name)));
    return made->kill_ && made->events_ ? std::move(made) : nullptr;
}

CommandCgroup::CommandCgroup(posix::UniqueFd parent, std::string name)
    : parent_(std::move(parent)), name_(std::move(name)), folder_(open_folder(parent_.get(), name_.c_str())),
      kill_(::openat(folder_.get(), "cgroup.kill", O_WRONLY | O_CLOEXEC)),
      events_(::openat(folder_.get(), "cgroup.events", O_RDONLY | O_CLOEXEC)) {
    // A docent that CMD starts may make cgroups in it.
    ::fsetxattr(folder_.get(), delegate_attributes.back(), "1", 1, 0);
}

void CommandCgroup::enter() const noexcept {
    move_to(folder_.get(), ::getpid());
}

void CommandCgroup::kill() const noexcept {
    static_cast<void>(!::write(kill_.get(), "1", 1));
}

bool CommandCgroup::is_populated() const {
    std::array<char, 256> text{};
    const ssize_t length = ::pread(events_.get(), text.data(), text.size(), 0);
    return length > 0 &&
           std::string_view(text.data(), static_cast<std::size_t>(length)).find("populated 1") != std::string::npos;
}

std::unordered_set<pid_t> CommandCgroup::members() const {
    std::unordered_set<pid_t> members;
    add_members_below(folder_.get(), members);
    return members;
}

/// Tries again, because a process inside may fork meanwhile. A process that is ending is no longer listed, but the cgroup
/// cannot be removed before the process is gone. On a busy machine this takes long.
void CommandCgroup::remove() noexcept {
    constexpr std::chrono::seconds longest{5};
    const auto deadline = std::chrono::steady_clock::now() + longest;
    while (::unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR) != 0 && errno == EBUSY) {
        try {
            remove_empty_below(folder_.get());
            std::unordered_set<pid_t> own;
            add_members(folder_.get(), own);
            bool moved = false;
            for (const pid_t pid : own) moved = move_to(parent_.get(), pid) || moved;
            const bool used_below = own.empty() && !members().empty();
            if (used_below || std::chrono::steady_clock::now() >= deadline) return;
            if (!moved) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } catch (...) {
            return;
        }
    }
}

HeldProcesses::HeldProcesses(std::shared_ptr<const ProcessFolder> processes, std::shared_ptr<const CommandCgroup> cgroup,
                             pid_t root, pid_t spared, std::string mark)
    : processes_(std::move(processes)), cgroup_(std::move(cgroup)), root_(root), spared_(spared), mark_(std::move(mark)) {}

/// Kills the cgroup first: the kernel kills all members together, so that none of them can fork in between.
std::optional<HeldProcesses::Family> HeldProcesses::send_to_family(const std::vector<int>& signals,
                                                                   std::optional<pid_t> but) const {
    const bool kills = std::find(signals.begin(), signals.end(), SIGKILL) != signals.end();
    if (kills && cgroup_ != nullptr) cgroup_->kill();
    const auto descendants = processes_->read_descendants(root_);
    // Checked after the read: a child that docent started after leave() may be in it.
    if (!descendants || left_) return std::nullopt;
    Family family{.known = {spared_}};
    if (but) family.known.insert(*but);
    for (const ProcessEntry& process : *descendants) send_to(process, signals, family);
    return family;
}

std::optional<std::size_t> HeldProcesses::send_to_others(const std::vector<int>& signals, Family family) const {
    searched_ = 0;
    const auto table = processes_->read_table();
    if (!table || left_) return std::nullopt;
    for (const ProcessEntry& process : find_descendants(root_, *table)) send_to(process, signals, family);
    const auto members = cgroup_ != nullptr ? cgroup_->members() : std::unordered_set<pid_t>{};
    for (const ProcessEntry& process : *table) {
        if (!process.ended && members.contains(process.pid)) send_to(process, signals, family);
    }
    bool all_known = true;
    for (const ProcessEntry& process : *table) {
        if (left_) return std::nullopt;
        if (process.ended || family.known.contains(process.pid)) continue;
        searched_ = process.pid;
        const auto marked = processes_->has_in_environment(process, mark_);
        if (!marked) all_known = false;
        else if (*marked) send_to(process, signals, family);
    }
    searched_ = 0;
    return all_known ? std::optional(family.sent) : std::nullopt;
}

void HeldProcesses::send_to(const ProcessEntry& process, const std::vector<int>& signals, Family& family) const {
    if (!family.known.insert(process.pid).second) return;
    bool reached = false;
    for (const int signal : signals) reached = send_signal(*processes_, process, signal) || reached;
    if (reached) ++family.sent;
}

std::optional<std::size_t> HeldProcesses::send(const std::vector<int>& signals, std::optional<pid_t> but) const {
    auto family = send_to_family(signals, but);
    return family ? send_to_others(signals, std::move(*family)) : std::nullopt;
}

bool HeldProcesses::any_in_family() const {
    if (cgroup_ != nullptr && cgroup_->is_populated()) return true;
    const auto family = send_to_family({0}, std::nullopt);
    return !family || family->sent > 0;
}

} // namespace docent::cli
