// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/marked_processes.hpp"

#include "posix/read_file.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>

#include <signal.h>

namespace docent::cli {
namespace {

std::optional<pid_t> process_id(const std::string& folder_name) {
    pid_t pid = 0;
    const char* const end = folder_name.data() + folder_name.size();
    const auto [rest, ec] = std::from_chars(folder_name.data(), end, pid);
    return ec == std::errc{} && rest == end ? std::optional(pid) : std::nullopt;
}

/// `environ` is a list of entries, each ended by a zero byte.
bool has_entry(std::string_view environ_text, std::string_view entry) {
    while (!environ_text.empty()) {
        const auto end = std::min(environ_text.find('\0'), environ_text.size());
        if (environ_text.substr(0, end) == entry) return true;
        environ_text.remove_prefix(std::min(end + 1, environ_text.size()));
    }
    return false;
}

} // namespace

std::vector<pid_t> find_processes_marked(std::string_view entry) {
    std::vector<pid_t> found;
    std::error_code ec;
    for (std::filesystem::directory_iterator folder("/proc", ec), end; !ec && folder != end; folder.increment(ec)) {
        const auto pid = process_id(folder->path().filename().string());
        if (!pid) continue;
        const auto environment = posix::read_file(folder->path() / "environ"); // nothing if it has just ended, or is not ours
        if (environment && has_entry(*environment, entry)) found.push_back(*pid);
    }
    return found;
}

} // namespace docent::cli
