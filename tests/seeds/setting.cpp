// SPDX-License-Identifier: Apache-2.0
#include "setting.hpp"

#include <iterator>

namespace docent::seeds {
namespace {

using namespace detail;

Setting mutex() {
    return {.recipe = "mutex", .queues = {{"/lock", mutex_names()}}, .limits = {}, .wishes = {mutex_wish("/lock")}};
}

Setting read_write() {
    return {.recipe = "read/write with downgrade",
            .queues = {{"/lock", read_write_names()}},
            .limits = {},
            .wishes = {downgrading_wish("/lock"), read_wish("/lock"), write_wish("/lock")},
            .wishes_each = 2};
}

Setting permits(std::string recipe, std::size_t limit, std::vector<std::int32_t> counts) {
    Setting setting{.recipe = std::move(recipe),
                    .queues = {{"/s/leases", lease_names()}, {"/s/locks", mutex_names()}},
                    .limits = {{"/s/leases", limit}},
                    .wishes = {}};
    for (const auto count : counts) setting.wishes.push_back(permits_wish("/s", count, static_cast<std::int32_t>(limit)));
    return setting;
}

Setting multi_lock() {
    return {.recipe = "multi-lock",
            .queues = {{"/a", mutex_names()}, {"/b", mutex_names()}, {"/c", mutex_names()}},
            .limits = {},
            .wishes = {multi_lock_wish({"/a", "/b", "/c"}), multi_lock_wish({"/c", "/b", "/a"}), multi_lock_wish({"/b", "/a"}),
                       multi_lock_wish({"/c", "/a"}), multi_lock_wish({"/b", "/c"}), mutex_wish("/a"), mutex_wish("/b")},
            .wishes_each = 2};
}

Setting guarded() {
    Setting setting = mutex();
    setting.recipe = "guarded transaction";
    setting.commits = 0.8;
    return setting;
}

Setting everything() {
    Setting all{.recipe = "everything at once", .queues = {}, .limits = {}, .wishes = {}, .wishes_each = 3};
    for (auto& one : {mutex(), permits("", 2, {1, 2}), multi_lock()}) {
        all.queues.insert(all.queues.end(), one.queues.begin(), one.queues.end());
        all.limits.insert(one.limits.begin(), one.limits.end());
        all.wishes.insert(all.wishes.end(), one.wishes.begin(), one.wishes.end());
    }
    all.queues.emplace_back("/rw", read_write_names());
    for (auto& wish : {downgrading_wish("/rw"), read_wish("/rw"), write_wish("/rw")}) all.wishes.push_back(wish);
    return all;
}

Setting town(std::size_t number) {
    constexpr const char* names[] = {"persistent nodes", "group members", "double barrier", "barrier", "count-down latch"};
    return {.recipe = names[number],
            .queues = {{"/nothing", mutex_names()}},
            .limits = {},
            .wishes = {},
            .town = static_cast<Town>(number + 1)};
}

Setting setting_of(std::size_t recipe, std::uint64_t seed) {
    switch (recipe) {
    case 0: return mutex();
    case 1: return read_write();
    case 2: return permits("semaphore", 2 + seed / lock_count % 2, {1, 2});
    case 3: return permits("semaphore mutex", 1, {1});
    case 4: return multi_lock();
    case 5: return guarded();
    case 6: return everything();
    default: return town(recipe - lock_count);
    }
}

} // namespace

std::size_t recipe_of(std::uint64_t seed) {
    return seed / lock_count % 8 == 2 ? lock_count + seed % town_count : seed % lock_count;
}

std::string recipe_name(std::size_t recipe) {
    return setting_of(recipe, 0).recipe;
}

Setting setting_of(std::uint64_t seed) {
    Setting setting = setting_of(recipe_of(seed), seed);
    // Longer than most holds, and shorter than the holds of contenders that linger.
    const auto round = seed / lock_count % 8;
    if (round == 5) setting.terms.max_hold = std::chrono::milliseconds{1000};
    if (round >= 6) setting.terms.keep_for = std::chrono::milliseconds{round == 6 ? 200 : 1000};
    const bool keeps_for_good = round == 7 && seed / lock_count / 8 % 4 == 0; // until another contender recalls them
    if (keeps_for_good) setting.terms.keep_for = std::chrono::hours{24};
    if (round % 4 == 3) setting.terms.max_local_handovers = 2;
    return setting;
}

} // namespace docent::seeds
