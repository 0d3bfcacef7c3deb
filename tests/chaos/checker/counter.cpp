// SPDX-License-Identifier: Apache-2.0
#include "checker/checks.hpp"

#include <algorithm>
#include <map>

namespace docent::chaos {
namespace {

std::string name_of(const Commit& commit) {
    return commit.work.process + " (work " + std::to_string(commit.work.number) + ", zxid " + std::to_string(commit.zxid) + ')';
}

Violation violation(const Commit& commit, const Commit& lost, std::string text) {
    return {.kind = "counter",
            .text = std::move(text),
            .works = {commit.work},
            .from = commit.begun,
            .to = commit.begun,
            .lost = lost.zxid};
}

} // namespace

std::string gone_by_ledger(const History& history, std::int64_t zxid) {
    for (const SetBack& back : history.set_backs) {
        if (zxid < back.first_lost || zxid >= back.next) continue;
        return "the ensemble went back: it has acknowledged zxids " + std::to_string(back.first_lost) + " to " +
               std::to_string(back.last_lost) + ", and did not know them at " + std::to_string(back.next);
    }
    return {};
}

Violations check_counter(const History& history) {
    Violations found;
    std::map<std::int64_t, std::vector<const Commit*>> committed;
    std::map<std::int64_t, const Commit*> unknown;
    for (const Commit& commit : history.commits) {
        if (commit.outcome == Outcome::committed) committed[commit.value].push_back(&commit);
        if (commit.outcome == Outcome::unknown) unknown[commit.value] = &commit;
    }
    for (auto& [value, commits] : committed) {
        std::sort(commits.begin(), commits.end(), [](const Commit* a, const Commit* b) { return a->zxid < b->zxid; });
        for (std::size_t i = 1; i < commits.size(); ++i) {
            found.push_back(violation(*commits[i], *commits[i - 1],
                                      "the counter was set to " + std::to_string(value) + " by " + name_of(*commits[i]) +
                                          " though " + name_of(*commits[0]) + " had set it"));
        }
        if (history.counter && value > *history.counter) {
            found.push_back(violation(*commits[0], *commits[0],
                                      "the counter is " + std::to_string(*history.counter) + ", but " + name_of(*commits[0]) +
                                          " had set it to " + std::to_string(value)));
        }
    }
    for (std::int64_t value = 1; value <= history.counter.value_or(0); ++value) {
        if (committed.contains(value) || unknown.contains(value)) continue;
        found.push_back({.kind = "counter", .text = "nobody set the counter to " + std::to_string(value)});
    }
    return found;
}

std::int64_t lost_updates(const History& history, const std::string& store) {
    std::int64_t accepted = 0;
    std::int64_t last = 0;
    for (const StoreWrite& write : history.store_writes) {
        if (write.store != store || !write.accepted) continue;
        ++accepted;
        last = std::max(last, write.value);
    }
    return accepted - last; // each write sets one more than was read
}

Violations check_store(const History& history) {
    Violations found;
    std::map<std::int64_t, const StoreWrite*> values;
    for (const StoreWrite& write : history.store_writes) {
        if (write.store != "checked" || !write.accepted) continue;
        const auto [other, is_new] = values.try_emplace(write.value, &write);
        if (is_new) continue;
        found.push_back({.kind = "store",
                         .text = "the store that checks tokens was set to " + std::to_string(write.value) + " by " +
                                 other->second->work.process + " and by " + write.work.process,
                         .works = {other->second->work, write.work}});
    }
    return found;
}

} // namespace docent::chaos
