// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/process_tree.hpp"

#include <cerrno>
#include <unordered_map>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace docent::cli {

std::vector<ProcessEntry> find_descendants(pid_t root, const std::vector<ProcessEntry>& table) {
    std::unordered_multimap<pid_t, const ProcessEntry*> children;
    for (const ProcessEntry& entry : table) {
        if (!entry.ended && entry.pid != root) children.emplace(entry.parent, &entry);
    }
    std::vector<ProcessEntry> family;
    const auto add_children_of = [&](pid_t parent) {
        const auto [first, last] = children.equal_range(parent);
        for (auto child = first; child != last; ++child) family.push_back(*child->second);
        children.erase(first, last); // /proc is not a snapshot and may show a circle
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
