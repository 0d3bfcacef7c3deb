// SPDX-License-Identifier: Apache-2.0
#include "setting.hpp"

#include "fake_recipes/administrator.hpp"
#include "fake_recipes/barrier_member.hpp"
#include "fake_recipes/gate_users.hpp"
#include "fake_recipes/latch_users.hpp"
#include "fake_recipes/node_keeper.hpp"

#include <docent/path.hpp>

#include <array>
#include <string>
#include <utility>

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

/// Adds random actors to a world without locks.
class Settlement {
public:
    Settlement(FakeWorld& world, std::size_t clients) : world_(world), clients_(clients) {}

    std::size_t below(std::size_t bound) { return world_.surroundings().below(bound); }
    double up_to(double bound) { return bound * static_cast<double>(below(1001)) / 1000; }
    bool one_in(std::size_t count) { return below(count) == 0; }

    template <typename One, typename... Arguments> void add(const std::string& what, Arguments&&... arguments) {
        const auto client = all.size() < clients_ ? all.size() : below(clients_);
        all.push_back(std::make_unique<One>(world_, client, std::forward<Arguments>(arguments)...));
        all.back()->name =
            what + " " + std::to_string(all.size()) + " (client " + static_cast<char>('a' + static_cast<char>(client)) + ")";
    }
    void add_administrator(std::vector<std::string> folders, double replaces) {
        if (!one_in(4)) add<Administrator>("administrator", std::move(folders), static_cast<int>(below(25)), replaces);
    }
    int turns(std::size_t bound) { return 1 + static_cast<int>(below(bound)); }

    void keep_nodes() {
        std::vector<std::string> folders;
        for (auto n = 2 + below(3); n > 0; --n) {
            PersistentNodeOptions options;
            options.mode = std::array{CreateMode::ephemeral, CreateMode::ephemeral, CreateMode::ephemeral_sequential,
                                      CreateMode::persistent}[below(4)];
            const bool is_protected = options.mode == CreateMode::ephemeral_sequential || one_in(3);
            options.protection = is_protected ? Protection::protected_ : Protection::none;
            folders.push_back("/kept/" + std::to_string(n));
            add<NodeKeeper>("keeper", folders.back() + "/node", options, turns(8));
        }
        add_administrator(std::move(folders), up_to(1));
    }
    void form_a_group() {
        for (auto n = 3 + below(4); n > 0; --n) {
            add<NodeKeeper>("member", "/group/id-" + std::to_string(below(3)), PersistentNodeOptions{}, turns(6));
        }
        add_administrator({"/group"}, up_to(1));
    }
    void enter_and_leave() {
        const std::size_t wanted = 2 + below(3);
        const auto hall = std::make_shared<BarrierHall>("/work/barrier", wanted);
        const BarrierMember::Habits habits{
            .hurries = one_in(2) ? up_to(0.3) : 0, .gives_up = one_in(2) ? up_to(0.3) : 0, .drops = one_in(2) ? up_to(0.3) : 0};
        for (auto n = wanted + below(3); n > 0; --n) add<BarrierMember>("member", hall, turns(8), habits);
        add_administrator({"/work/barrier"}, 0);
    }
    void wait_at_a_gate() {
        for (auto n = 1 + below(2); n > 0; --n) add<GateKeeper>("keeper", turns(8));
        for (auto n = 1 + below(4); n > 0; --n) add<GateWaiter>("waiter", turns(8));
        add_administrator({std::string(parent_path(gate_path))}, 0);
    }
    void count_down() {
        const auto book = std::make_shared<LatchBook>("/jobs/ready", 1 + static_cast<std::int64_t>(below(20)));
        for (auto n = 2 + below(3); n > 0; --n) add<LatchCounter>("counter", book, turns(6), one_in(2) ? up_to(0.3) : 0);
        for (auto n = 1 + below(3); n > 0; --n) add<LatchWaiter>("waiter", book, turns(6));
        if (one_in(2)) add<LatchNeighbour>("neighbour", book, turns(6));
    }

    Actors all;

private:
    FakeWorld& world_;
    const std::size_t clients_;
};

} // namespace

std::size_t recipe_of(std::uint64_t seed) {
    return seed / lock_count % 8 == 2 ? lock_count + seed % workload_count : seed % lock_count;
}

std::string recipe_name(std::size_t recipe) {
    return setting_of(recipe, 0).recipe;
}

Setting setting_of(std::uint64_t seed) {
    Setting setting = setting_of(recipe_of(seed), seed);
    // The limit of a hold is longer than most holds, and shorter than the holds of contenders that linger.
    const auto round = seed / lock_count % 8;
    if (round == 5) setting.terms.max_hold = std::chrono::milliseconds{1000};
    if (round >= 6) setting.terms.keep_for = std::chrono::milliseconds{round == 6 ? 200 : 1000};
    const bool keeps_for_good = round == 7 && seed / lock_count / 8 % 4 == 0; // until another contender recalls them
    if (keeps_for_good) setting.terms.keep_for = std::chrono::hours{24};
    if (round % 4 == 3) setting.terms.max_local_handovers = 2;
    if (seed / lock_count / 8 % 7 == 3) setting.heartbeats = Heartbeats::relaxed;
    return setting;
}

Actors settle(FakeWorld& world, Workload workload, std::size_t clients) {
    Settlement settlement(world, clients);
    switch (workload) {
    case Workload::none: break;
    case Workload::persistent_nodes: settlement.keep_nodes(); break;
    case Workload::group: settlement.form_a_group(); break;
    case Workload::double_barrier: settlement.enter_and_leave(); break;
    case Workload::barrier: settlement.wait_at_a_gate(); break;
    case Workload::count_down_latch: settlement.count_down(); break;
    }
    return std::move(settlement.all);
}

} // namespace docent::seeds
