// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/held_processes.hpp"

#include "cli/guard/marked_processes.hpp"
#include "cli/guard/process_tree.hpp"

#include <algorithm>
#include <utility>

#include <signal.h>

namespace docent::cli {

HeldProcesses::HeldProcesses(pid_t root, pid_t spared, std::string mark)
    : root_(root), spared_(spared), mark_(std::move(mark)) {}

std::optional<std::vector<pid_t>> HeldProcesses::find() const {
    const auto table = read_process_table();
    if (!table) return std::nullopt;
    std::vector<pid_t> found = find_descendants(root_, *table);
    for (const pid_t pid : find_processes_marked(mark_)) {
        if (std::find(found.begin(), found.end(), pid) == found.end()) found.push_back(pid);
    }
    std::erase(found, spared_);
    return found;
}

std::optional<std::size_t> HeldProcesses::send(int signal, std::optional<pid_t> but) const {
    const auto found = find();
    if (!found) return std::nullopt;
    const auto sent =
        std::count_if(found->begin(), found->end(), [&](pid_t pid) { return pid != but && ::kill(pid, signal) == 0; });
    return static_cast<std::size_t>(sent);
}

/// Twice: who forks and ends at once may be looked for where it is no more, and its child where it was not yet.
bool HeldProcesses::any() const {
    return send(0) != 0u || send(0) != 0u;
}

} // namespace docent::cli
