// SPDX-License-Identifier: Apache-2.0

#include "cli/guard/process_folder.hpp"
#include "cli/arguments/values.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace docent::cli {
namespace {

/// Field `number` of a text whose fields are separated by one space; the first is 0.
std::string_view field(std::string_view text, std::size_t number) {
    for (; number > 0; --number) {
        const auto space = text.find(' ');
        if (space == std::string_view::npos) return {};
        text.remove_prefix(space + 1);
    }
    return text.substr(0, text.find_first_of(" \n"));
}

/// The words after `name` in the first line that begins with it; empty without such a line.
std::vector<std::string> line_words(std::string_view text, std::string_view name) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(name)) continue;
        std::istringstream words(line.substr(name.size()));
        return {std::istream_iterator<std::string>(words), {}};
    }
    return {};
}

/// `environ` is a list of entries, each ended by a zero byte.
bool has_entry(const std::string& environ_text, std::string_view entry) {
    const std::string zero(1, '\0');
    return (zero + environ_text + zero).find(zero + std::string(entry) + zero) != std::string::npos;
}

/// The names in a folder that are numbers; nothing if the folder cannot be read to its end. Unlike opendir(), takes no memory
/// for the folder, because a guard without memory must find the processes that it kills.
std::optional<std::vector<pid_t>> numbers_in(int parent, const std::string& name) {
    const posix::UniqueFd folder(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return std::nullopt;
    std::vector<pid_t> numbers;
    alignas(dirent64) std::array<char, 4096> block{};
    for (;;) {
        const ssize_t length = ::getdents64(folder.get(), block.data(), block.size());
        if (length <= 0) return length == 0 ? std::optional(std::move(numbers)) : std::nullopt;
        for (ssize_t position = 0; position < length;) {
            const auto* const entry = reinterpret_cast<const dirent64*>(&block.at(static_cast<std::size_t>(position)));
            pid_t number = 0;
            if (parse_number(std::string_view(entry->d_name), number)) numbers.push_back(number);
            position += entry->d_reclen;
        }
    }
}

/// Whether the last call failed because no descriptor or no memory is left, and not because the process has ended.
bool lacks_resources() {
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

posix::UniqueFd open_pidfd(pid_t pid) {
    return posix::UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// Whether all threads of the process have ended. Its parent may not have collected it yet.
bool has_ended(const posix::UniqueFd& pidfd) {
    pollfd wanted{pidfd.get(), POLLIN, 0};
    return ::poll(&wanted, 1, 0) > 0;
}

/// Whether a process that /proc does not show runs, and may be signalled. Returns false without pidfds (before Linux 5.3):
/// there, a process that has ended and was not collected looks the same.
bool runs_hidden(pid_t pid) {
    const posix::UniqueFd handle = open_pidfd(pid);
    const bool may_run = handle ? !has_ended(handle) : lacks_resources();
    return may_run && ::kill(pid, 0) == 0;
}

/// The fields of a stat(5) after the name, which may contain any character; empty if the text is no stat(5).
std::string_view fields_after_name(std::string_view stat_text) {
    const auto name_end = stat_text.rfind(") ");
    return name_end == std::string_view::npos ? std::string_view{} : stat_text.substr(name_end + 2); // "S 123 ..."
}

/// Whether the process of this stat(5) has an environment, or is in an exec, after which it may have one. During an exec, the
/// kernel sets the end of the code last.
bool may_have_environment(std::string_view stat_text) {
    constexpr std::size_t memory_size = 20, code_end = 24, environment_start = 47, environment_end = 48; // after the name
    const auto rest = fields_after_name(stat_text);
    const bool in_exec = field(rest, memory_size) != "0" && field(rest, code_end) == "0";
    return in_exec || field(rest, environment_start) != field(rest, environment_end);
}

/// During an exec, an environment is empty for a moment. Waits until that is over, at most a tenth of a second.
std::optional<std::string> read_environment(int folder, const std::string& process) {
    auto environment = posix::read_file_at(folder, process + "/environ");
    for (int looks = 0; looks < 100 && environment && environment->empty(); ++looks) {
        if (!may_have_environment(posix::read_file_at(folder, process + "/stat").value_or(""))) break;
        if (looks > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        environment = posix::read_file_at(folder, process + "/environ");
    }
    return environment;
}

} // namespace

std::optional<ProcessEntry> parse_process_stat(std::string_view text) {
    constexpr std::size_t state = 0, parent = 1, threads = 17, start_time = 19; // counted from the field after the name
    const auto name = text.find(" (");
    const auto rest = fields_after_name(text);
    if (name == std::string_view::npos || rest.empty()) return std::nullopt;
    long thread_count = 0;
    ProcessEntry entry;
    const bool numbers = parse_number(text.substr(0, name), entry.pid) && parse_number(field(rest, parent), entry.parent) &&
                         parse_number(field(rest, threads), thread_count) &&
                         parse_number(field(rest, start_time), entry.start_time);
    if (!numbers) return std::nullopt;
    const auto letter = field(rest, state);
    const bool leader_ended = letter == "Z" || letter == "X";
    entry.leaderless = leader_ended && thread_count > 1;
    entry.ended = leader_ended && !entry.leaderless;
    return entry;
}

bool is_own_status(std::string_view text, pid_t self) {
    auto numbers = line_words(text, "NSpid:");
    if (numbers.empty()) numbers = line_words(text, "Pid:"); // a kernel without PID namespaces
    pid_t number = 0;
    return numbers.size() == 1 && parse_number(numbers.front(), number) && number == self;
}

ProcessFolder::ProcessFolder() : folder_(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    const auto status = folder_ ? posix::read_file_at(folder_.get(), "self/status") : std::nullopt;
    if (!status && lacks_resources()) throw posix::last_error("/proc");
    lists_children_ = ::faccessat(folder_.get(), "thread-self/children", R_OK, 0) == 0;
    if (status && is_own_status(*status, ::getpid())) return;
    throw std::runtime_error("cannot run a command under a lock here: /proc is not mounted, or shows the processes of another "
                             "PID namespace, so what the command starts could not be ended with the lock. Mount it first: "
                             "mount -t proc proc /proc (unshare has --mount-proc, bwrap has --proc /proc)");
}

std::optional<ProcessEntry> ProcessFolder::read_process(pid_t pid) const {
    const auto text = posix::read_file_at(fd(), std::to_string(pid) + "/stat");
    return text ? parse_process_stat(*text) : std::nullopt;
}

/// /proc is not a snapshot. A parent that ends during the read may be missing, while its child still names it. The child has
/// another parent by then, so it is read again.
std::optional<std::vector<ProcessEntry>> ProcessFolder::read_table() const {
    const auto numbers = numbers_in(fd(), ".");
    if (!numbers) return std::nullopt;
    std::vector<ProcessEntry> table;
    std::unordered_set<pid_t> pids;
    for (const pid_t number : *numbers) {
        errno = 0;
        const auto entry = read_process(number);
        if (!entry && lacks_resources()) return std::nullopt;
        if (!entry) continue; // the process has just ended
        table.push_back(*entry);
        pids.insert(entry->pid);
    }
    for (ProcessEntry& entry : table) {
        if (pids.contains(entry.parent) || entry.parent == 0) continue;
        if (const auto again = read_process(entry.pid)) entry = *again;
    }
    return table;
}

std::optional<std::vector<pid_t>> ProcessFolder::read_children(pid_t parent) const {
    const std::string tasks = std::to_string(parent) + "/task/";
    std::vector<pid_t> children;
    const auto threads = numbers_in(fd(), tasks);
    if (!threads) return lacks_resources() ? std::nullopt : std::optional(std::move(children));
    for (const pid_t thread : *threads) {
        const auto list = posix::read_file_at(fd(), tasks + std::to_string(thread) + "/children");
        if (!list && lacks_resources()) return std::nullopt;
        std::istringstream numbers(list.value_or(""));
        children.insert(children.end(), std::istream_iterator<pid_t>(numbers), {});
    }
    return children;
}

/// A listed process counts only if its parent is a member of the family: its id may have been used again.
std::optional<std::vector<ProcessEntry>> ProcessFolder::read_descendants(pid_t root) const {
    if (!lists_children_) {
        const auto table = read_table();
        return table ? std::optional(find_descendants(root, *table)) : std::nullopt;
    }
    std::vector<ProcessEntry> family;
    std::unordered_set<pid_t> pids{root};
    const auto add_children_of = [&](pid_t parent) { // returns false without descriptors or memory
        const auto children = read_children(parent);
        if (!children) return false;
        for (const pid_t pid : *children) {
            errno = 0;
            auto child = read_process(pid);
            if (!child && lacks_resources()) return false;
            if (!child && runs_hidden(pid)) child = ProcessEntry{.pid = pid, .parent = parent, .hidden = true};
            const bool counts = child && !child->ended && pids.contains(child->parent);
            if (counts && pids.insert(pid).second) family.push_back(*child);
        }
        return true;
    };
    bool complete = add_children_of(root);
    for (std::size_t next = 0; complete && next < family.size(); ++next) complete = add_children_of(family[next].pid);
    return complete ? std::optional(std::move(family)) : std::nullopt;
}

/// A thread that has ended has no environment, so this looks at the other threads of the process.
std::optional<bool> ProcessFolder::has_in_environment(const ProcessEntry& process, std::string_view entry) const {
    const std::string tasks = std::to_string(process.pid) + "/task";
    std::vector<std::string> folders{std::to_string(process.pid)};
    if (process.leaderless) {
        const auto threads = numbers_in(fd(), tasks);
        if (!threads && lacks_resources()) return std::nullopt;
        for (const pid_t thread : threads.value_or(std::vector<pid_t>{}))
            folders.push_back(tasks + "/" + std::to_string(thread));
    }
    for (const auto& folder : folders) {
        const auto environment = read_environment(fd(), folder);
        if (!environment && lacks_resources()) return std::nullopt;
        if (environment && has_entry(*environment, entry)) return true;
    }
    return false;
}

ProcessHandle::ProcessHandle(const ProcessFolder& folder, pid_t pid)
    : pid_(pid), descriptor_(::openat(folder.fd(), std::to_string(pid).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

std::optional<ProcessEntry> ProcessHandle::look() const {
    const auto text = posix::read_file_at(descriptor_.get(), "stat");
    return text ? parse_process_stat(*text) : std::nullopt;
}

bool ProcessHandle::send(int signal) const {
    if (::syscall(SYS_pidfd_send_signal, descriptor_.get(), signal, nullptr, 0) == 0) return true;
    const bool unknown = errno == ENOSYS || errno == EPERM; // the latter may be a filter of system calls
    return unknown && look() && ::kill(pid_, signal) == 0;
}

namespace {

/// Signals the process only if `seen.parent` still lists it as a child after its pidfd was opened. Then the pidfd is certainly
/// that of a child of this parent, and not of a later process with the same id.
bool send_to_hidden(const ProcessFolder& folder, const ProcessEntry& seen, int signal) {
    const posix::UniqueFd handle = open_pidfd(seen.pid);
    if (!handle) return lacks_resources();
    if (has_ended(handle)) return false;
    const auto children = folder.read_children(seen.parent);
    if (!children) return true;
    if (std::find(children->begin(), children->end(), seen.pid) == children->end()) return false;
    if (::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) == 0) return true;
    return errno == EPERM && ::kill(seen.pid, signal) == 0; // perhaps a filter of system calls
}

} // namespace

bool send_signal(const ProcessFolder& folder, const ProcessEntry& seen, int signal) {
    if (seen.hidden) return send_to_hidden(folder, seen, signal);
    const ProcessHandle process(folder, seen.pid);
    if (!process) return lacks_resources();
    const auto now = process.look();
    if (!now) return lacks_resources();
    return now->start_time == seen.start_time && !now->ended && process.send(signal);
}

std::vector<ProcessEntry> find_descendants(pid_t root, const std::vector<ProcessEntry>& table) {
    std::unordered_multimap<pid_t, const ProcessEntry*> children;
    for (const ProcessEntry& entry : table) {
        if (!entry.ended && entry.pid != root) children.emplace(entry.parent, &entry);
    }
    std::vector<ProcessEntry> family;
    const auto add_children_of = [&](pid_t parent) {
        const auto [first, last] = children.equal_range(parent);
        for (auto child = first; child != last; ++child) family.push_back(*child->second);
        children.erase(first, last); // /proc is not a snapshot and may show a cycle
    };
    add_children_of(root);
    for (std::size_t next = 0; next < family.size(); ++next) add_children_of(family[next].pid);
    return family;
}

bool adopt_orphans() noexcept {
    return ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

bool has_children() noexcept {
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

} // namespace docent::cli
