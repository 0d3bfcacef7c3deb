// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/held_processes.hpp"

#include "cli/guard/process_tree.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <signal.h>

namespace docent::cli {

HeldProcesses::HeldProcesses(const ProcessFolder& processes, const CommandCgroup* cgroup, pid_t root, pid_t spared,
                             std::string mark)
    : processes_(processes), cgroup_(cgroup), root_(root), spared_(spared), mark_(std::move(mark)) {}

/// Begins with the fastest way: the kernel kills a cgroup at once. Reading the environments of all processes takes longest.
std::optional<std::size_t> HeldProcesses::send(std::initializer_list<int> signals, std::optional<pid_t> but) const {
    const bool kills = std::find(signals.begin(), signals.end(), SIGKILL) != signals.end();
    if (kills && cgroup_ != nullptr) cgroup_->kill();
    const auto table = processes_.read_table();
    if (!table) return std::nullopt;
    std::size_t sent = 0;
    std::unordered_set<pid_t> known{spared_};
    const auto send_to = [&](const ProcessEntry& process) {
        if (!known.insert(process.pid).second || process.pid == but) return;
        bool reached = false;
        for (const int signal : signals) reached = send_signal(processes_, process, signal) || reached;
        if (reached) ++sent;
    };
    for (const ProcessEntry& process : find_descendants(root_, *table)) send_to(process);
    const auto members = cgroup_ != nullptr ? cgroup_->members() : std::unordered_set<pid_t>{};
    for (const ProcessEntry& process : *table) {
        if (!process.ended && members.contains(process.pid)) send_to(process);
    }
    bool all_known = true;
    for (const ProcessEntry& process : *table) {
        if (process.ended || known.contains(process.pid)) continue;
        const auto marked = processes_.has_in_environment(process, mark_);
        if (!marked) all_known = false;
        else if (*marked) send_to(process);
    }
    return all_known ? std::optional(sent) : std::nullopt;
}

/// Looks twice: a process that forks and ends at once can be missed by one look, together with its child.
bool HeldProcesses::any() const {
    if (cgroup_ != nullptr && cgroup_->is_populated()) return true;
    return send({0}) != 0u || send({0}) != 0u;
}

} // namespace docent::cli
