// SPDX-License-Identifier: Apache-2.0
#include "cli/view/distribution_text.hpp"

#include "cli/nodes/json.hpp"
#include "cli/view/shown.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace docent::cli {
namespace {

std::string items_text(const PartitionMember& member) {
    std::string text;
    for (const auto& item : member.items) text += " " + as_word(item);
    return text;
}

std::string for_terminal(const Distribution& distribution, const Page& page) {
    std::size_t items = 0;
    std::size_t width = 6;
    for (const auto& member : distribution.members) {
        items += member.items.size();
        width = std::max(width, columns_of(shown(member.id, page.charset)));
    }
    std::string text = "partition: " + std::to_string(items) + " items, " + std::to_string(distribution.members.size()) +
                       " members, " + std::to_string(distribution.moves) + " moves\n" + left_aligned("MEMBER", width) +
                       "  STATE    WEIGHT  ITEMS\n";
    for (const auto& member : distribution.members) {
        const std::string line = left_aligned(shown(member.id, page.charset), width) + "  " +
                                 (member.present ? "present" : "gone   ") + "  " +
                                 left_aligned(std::to_string(member.weight), 6) + "  " + std::to_string(member.items.size()) +
                                 ":" + shown(items_text(member), page.charset);
        text += cut(line, page.columns, page.charset) + "\n";
    }
    return text;
}

} // namespace

std::string distribution_text(const Distribution& distribution, const std::optional<Page>& page) {
    if (page) return for_terminal(distribution, *page);
    std::string text;
    for (const auto& member : distribution.members) {
        text += "member " + as_word(member.id) + (member.present ? " present" : " gone") + " weight " +
                std::to_string(member.weight) + " items " + std::to_string(member.items.size()) + ":" + items_text(member) +
                "\n";
    }
    return text + "moves " + std::to_string(distribution.moves) + "\n";
}

json::object json_distribution(const Distribution& distribution) {
    json::array members;
    for (const auto& member : distribution.members) {
        members.push_back(json::object{{"id", json_string(member.id)},
                                       {"weight", member.weight},
                                       {"present", member.present},
                                       {"items", json_array(member.items)}});
    }
    return {{"members", std::move(members)}, {"moves", distribution.moves}};
}

} // namespace docent::cli
