// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "base/protection.hpp"
#include "queue/contender.hpp"

#include <docent/path.hpp>
#include <docent/recipes/revocation.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace docent::detail;
using docent::fuzz::require;

/// Joining the parts of a name gives the name, and all parsers of names agree.
void check_name(const std::string& name) {
    const auto parsed = parse_node_name(names_of_all_locks(), name);
    const auto named = parse_node_name(names_of_all_locks(), docent::node_name("/" + name));
    require(docent::is_lock_node("/" + name) == named.has_value());
    if (!parsed) return;
    std::string again = parsed->guid.empty() ? "" : protection_prefix(parsed->guid);
    again.append(parsed->token.text).append(parsed->number < 0 ? "-" : "").append(number_text(name));
    require(again == name);
}

} // namespace

/// With any distinct children of a lock, at most one writer is admitted, and exactly one if the number of the first child tells
/// the order. The queue up to a contender gives the same answer as the whole queue.
DOCENT_FUZZ_TARGET(contender)(std::string_view input) {
    std::istringstream lines{std::string(input)};
    std::vector<std::string> children;
    for (std::string line; std::getline(lines, line);) children.push_back(line);
    for (const auto& child : children) check_name(child);
    const auto queue = sorted_queue(mutex_names(), children);
    int admitted = 0;
    for (const auto& contender : queue) {
        if (std::holds_alternative<Admitted>(admit(queue, contender.name, Deletion::admits))) ++admitted;
    }
    require(queue.empty() || !is_usable(queue.front().sequence) || admitted > 0);
    const bool distinct = std::adjacent_find(queue.begin(), queue.end(),
                                             [](const auto& a, const auto& b) { return a.name == b.name; }) == queue.end();
    require(!distinct || admitted <= 1);
    for (const auto& contender : queue) {
        const auto part = queue_up_to(mutex_names(), children, contender.name);
        require(!distinct || admit(part, contender.name) == admit(queue, contender.name));
    }
}
