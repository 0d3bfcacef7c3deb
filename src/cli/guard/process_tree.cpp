// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/process_tree.hpp"

#include "posix/read_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>
#include <unordered_set>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::cli {
namespace {

template <typename Number> bool parse_number(std::string_view text, Number& number) {
    const auto [rest, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
    return ec == std::errc{} && rest == text.data() + text.size();
}

std::optional<ProcessEntry> read_process(std::string_view pid) {
    const auto text = posix::read_file("/proc/" + std::string(pid) + "/stat");
    return text ? parse_process_stat(*text) : std::nullopt; // it has just gone
}

} // namespace

std::optional<ProcessEntry> parse_process_stat(std::string_view text) {
    const auto name = text.find(" (");
    const auto name_end = text.rfind(") ");
    if (name == std::string_view::npos || name_end == std::string_view::npos) return std::nullopt;
    const auto rest = text.substr(name_end + 2); // "S 123 ..."
    if (rest.size() < 3) return std::nullopt;
    const auto parent = rest.substr(2, rest.find(' ', 2) - 2);
    ProcessEntry entry;
    entry.ended = rest[0] == 'Z' || rest[0] == 'X';
    const bool numbers = parse_number(text.substr(0, name), entry.pid) && parse_number(parent, entry.parent);
    return numbers ? std::optional(entry) : std::nullopt;
}

/// /proc is no snapshot. A parent that ends while it is read may be missing already, and its child still name it: by then the
/// child has another parent, so it is asked again.
std::optional<std::vector<ProcessEntry>> read_process_table() {
    std::vector<ProcessEntry> table;
    std::unordered_set<pid_t> pids;
    std::error_code ec;
    std::filesystem::directory_iterator folder("/proc", ec);
    if (ec == std::errc::no_such_file_or_directory) return table;
    for (pid_t pid = 0; !ec && folder != std::filesystem::directory_iterator(); folder.increment(ec)) {
        const std::string name = folder->path().filename().string();
        if (!parse_number(std::string_view(name), pid)) continue;
        if (const auto entry = read_process(name)) {
            table.push_back(*entry);
            pids.insert(entry->pid);
        }
    }
    if (ec || !pids.contains(::getpid())) return std::nullopt;
    for (ProcessEntry& entry : table) {
        if (pids.contains(entry.parent) || entry.parent == 0) continue;
        if (const auto again = read_process(std::to_string(entry.pid))) entry = *again;
    }
    return table;
}

std::vector<pid_t> find_descendants(pid_t root, const std::vector<ProcessEntry>& table) {
    std::vector<pid_t> family{root};
    for (std::size_t next = 0; next < family.size(); ++next) {
        for (const ProcessEntry& entry : table) {
            if (entry.parent == family[next] && !entry.ended && entry.pid != root) family.push_back(entry.pid);
        }
    }
    family.erase(family.begin());
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
