// SPDX-License-Identifier: Apache-2.0
#include "inspection/classify.hpp"

#include "queue/contender.hpp"

#include <docent/path.hpp>

#include <algorithm>

namespace docent::detail {
namespace {

struct RecipeNames {
    RecipeKind recipe;
    QueueNames names;
};

/// Whether the names at this path belong to a read/write lock.
bool has_readers_and_writers(const QueueNames& all, const std::vector<std::string>& children) {
    return std::any_of(children.begin(), children.end(), [&](const std::string& child) {
        const auto name = parse_node_name(all, child);
        return name && (name->token.kind == ContenderKind::shared || name->token == write_token);
    });
}

/// The recipes of a path. Other libraries' nodes count for the recipe whose queue they are in.
std::vector<RecipeNames> recipes_at(ChildrenOf which, const std::vector<std::string>& children, const OtherNamesPtr& others) {
    switch (which) {
    case ChildrenOf::path: {
        const QueueNames shared = read_write_names().beside(others);
        const bool in_shared = has_readers_and_writers(shared, children);
        return {{RecipeKind::mutex, in_shared ? mutex_names() : mutex_names().beside(others)},
                {RecipeKind::read_write_lock, in_shared ? shared : read_write_names()},
                {RecipeKind::leader_latch, latch_names()}};
    }
    case ChildrenOf::gate: return {{RecipeKind::semaphore, mutex_names()}};
    case ChildrenOf::leases: return {{RecipeKind::semaphore, lease_names()}};
    }
    return {};
}

ParticipantKind kind_of(RecipeKind recipe, ChildrenOf which, const Contender& contender) {
    if (which == ChildrenOf::leases) return ParticipantKind::lease;
    if (recipe == RecipeKind::leader_latch) return ParticipantKind::latch;
    if (recipe != RecipeKind::read_write_lock) return ParticipantKind::lock;
    return contender.kind == ContenderKind::shared ? ParticipantKind::read : ParticipantKind::write;
}

bool belongs_to(const std::vector<RecipeNames>& recipes, const std::string& child) {
    return std::any_of(recipes.begin(), recipes.end(),
                       [&](const auto& recipe) { return parse_node_name(recipe.names, child).has_value(); });
}

} // namespace

Classified classify(const std::string& path, ChildrenOf which, const std::vector<std::string>& children,
                    const OtherNamesPtr& others) {
    Classified result;
    const auto recipes = recipes_at(which, children, others);
    for (const auto& [recipe, names] : recipes) {
        bool writer_ahead = false;
        std::size_t position = 0;
        for (const Contender& contender : sorted_queue(names, children)) {
            const bool shares = contender.kind == ContenderKind::shared;
            const bool holds = which != ChildrenOf::gate && (position == 0 || (shares && !writer_ahead));
            result.participants.push_back({.recipe = recipe,
                                           .kind = kind_of(recipe, which, contender),
                                           .node_path = join_path(path, contender.name),
                                           .position = position++,
                                           .holds = holds,
                                           .data = {},
                                           .session_id = 0,
                                           .fencing_token = 0,
                                           .created = 0,
                                           .owner = {}});
            writer_ahead = writer_ahead || !shares;
        }
    }
    for (const std::string& child : children) {
        const bool part_of_semaphore = which == ChildrenOf::path && (child == gate_name || child == leases_name);
        result.is_semaphore = result.is_semaphore || part_of_semaphore;
        if (!part_of_semaphore && !belongs_to(recipes, child)) result.strangers.push_back(child);
    }
    std::sort(result.strangers.begin(), result.strangers.end());
    return result;
}

} // namespace docent::detail
