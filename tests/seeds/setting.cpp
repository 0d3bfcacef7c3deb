// SPDX-License-Identifier: Apache-2.0
#include "setting.hpp"

#include <iterator>

namespace docent::seeds {
namespace {

using namespace detail;

Setting mutex() {
    return {.recipe = "mutex", .queues = {{"/lock", mutex_names()}}, .limits = {}, .requests = {mutex_request("/lock")}};
}

Setting read_write() {
    return {.recipe = "read/write with downgrade",
            .queues = {{"/lock", read_write_names()}},
            .limits = {},
            .requests = {downgrading_request("/lock"), read_request("/lock"), write_request("/lock")},
            .requests_each = 2};
}

Setting permits(std::string recipe, std::size_t limit, std::vector<std::int32_t> counts) {
    Setting setting{.recipe = std::move(recipe),
                    .queues = {{"/s/leases", lease_names()}, {"/s/locks", mutex_names()}},
                    .limits = {{"/s/leases", limit}},
                    .requests = {}};
    for (const auto count : counts) setting.requests.push_back(permits_request("/s", count, static_cast<std::int32_t>(limit)));
    return setting;
}

Setting multi_lock() {
    return {.recipe = "multi-lock",
            .queues = {{"/a", mutex_names()}, {"/b", mutex_names()}, {"/c", mutex_names()}},
            .limits = {},
            .requests = {multi_lock_request({"/a", "/b", "/c"}), multi_lock_request({"/c", "/b", "/a"}),
                         multi_lock_request({"/b", "/a"}), multi_lock_request({"/c", "/a"}), multi_lock_request({"/b", "/c"}),
                         mutex_request("/a"), mutex_request("/b")},
            .requests_each = 2};
}

Setting guarded() {
    Setting setting = mutex();
    setting.recipe = "guarded transaction";
    setting.commits = 0.8;
    return setting;
}

Setting everything() {
    Setting all{.recipe = "everything at once", .queues = {}, .limits = {}, .requests = {}, .requests_each = 3};
    for (auto& one : {mutex(), permits("", 2, {1, 2}), multi_lock()}) {
        all.queues.insert(all.queues.end(), one.queues.begin(), one.queues.end());
        all.limits.insert(one.limits.begin(), one.limits.end());
        all.requests.insert(all.requests.end(), one.requests.begin(), one.requests.end());
    }
    all.queues.emplace_back("/rw", read_write_names());
    for (auto& request : {downgrading_request("/rw"), read_request("/rw"), write_request("/rw")})
        all.requests.push_back(request);
    return all;
}

Setting workload(std::size_t number) {
    constexpr const char* names[] = {"persistent nodes", "group members", "double barrier", "barrier", "count-down latch"};
    return {.recipe = names[number],
            .queues = {{"/nothing", mutex_names()}},
            .limits = {},
            .requests = {},
            .workload = static_cast<Workload>(number + 1)};
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
    default: return workload(recipe - lock_count);
    }
}

} // namespace

std::size_t recipe_of(std::uint64_t seed) {
    return seed / lock_count % 8 == 2 ? lock_count + seed % workload_count : seed % lock_count;
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
