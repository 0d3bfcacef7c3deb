// SPDX-License-Identifier: Apache-2.0
#include "worlds.hpp"

#include <string>
#include <utility>

namespace docent::explorer {
namespace {

using detail::downgrading_request;
using detail::handed_on_mutex_request;
using detail::kept_mutex_request;
using detail::kept_read_request;
using detail::lead_request;
using detail::multi_lock_request;
using detail::mutex_request;
using detail::permits_request;
using detail::read_request;
using detail::write_request;
using Queues = std::vector<std::pair<std::string, detail::QueueNames>>;

struct Where {
    std::string name;
    std::vector<std::size_t> client_of; // of each contender
    std::vector<std::size_t> placement; // of each client
};

Plan plan(const std::string& recipe, const Where& where, const Queues& queues, const std::vector<LockRequest>& requests,
          bool all_alike) {
    Plan plan{.name = recipe + ", " + where.name, .queues = queues, .parts = {}, .placement = where.placement, .group = {}};
    for (std::size_t n = 0; n < requests.size(); ++n) plan.parts.push_back({where.client_of[n], requests[n]});
    std::vector<std::size_t> contenders(where.placement.size());
    for (const auto& part : plan.parts) ++contenders[part.client];
    for (std::size_t client = 0; client < where.placement.size(); ++client) {
        plan.group.push_back(all_alike ? 10 * contenders[client] + where.placement[client] : 100 + client);
    }
    return plan;
}

const std::vector<Where> places = {
    {"one session at the leader", {0, 0, 0}, {0}},
    {"one session at the follower", {0, 0, 0}, {1}},
    {"two sessions at the leader", {0, 0, 1}, {0, 0}},
    {"two sessions at leader and follower", {0, 0, 1}, {0, 1}},
    {"two sessions at follower and leader", {0, 0, 1}, {1, 0}},
    {"two sessions at the follower", {0, 0, 1}, {1, 1}},
    {"three sessions at the leader", {0, 1, 2}, {0, 0, 0}},
    {"three sessions, one at the follower", {0, 1, 2}, {0, 0, 1}},
    {"three sessions, two at the follower", {0, 1, 2}, {0, 1, 1}},
    {"three sessions at the follower", {0, 1, 2}, {1, 1, 1}},
};

const std::vector<Where> places_of_two = {
    {"one session at the leader", {0, 0}, {0}},       {"one session at the follower", {0, 0}, {1}},
    {"two sessions at the leader", {0, 1}, {0, 0}},   {"two sessions at leader and follower", {0, 1}, {0, 1}},
    {"two sessions at the follower", {0, 1}, {1, 1}},
};

/// The worlds of two contenders. They are smaller, so more faults can be searched.
void add_pairs(std::vector<Plan>& plans) {
    const Queues lock = {{"/lock", detail::mutex_names()}};
    const Queues read_write = {{"/lock", detail::read_write_names()}};
    const Queues semaphore = {{"/s/leases", detail::lease_names()}, {"/s/locks", detail::mutex_names()}};
    const Queues two = {{"/a", detail::mutex_names()}, {"/b", detail::mutex_names()}};
    LockRequest guarded = mutex_request("/lock");
    guarded.commits = true;
    for (const auto& where : places_of_two) {
        plans.push_back(plan("pair: mutex", where, lock, std::vector<LockRequest>(2, mutex_request("/lock")), true));
        plans.push_back(plan("pair: guarded transaction", where, lock, std::vector<LockRequest>(2, guarded), false));
        plans.push_back(
            plan("pair: downgrade and read", where, read_write, {downgrading_request("/lock"), read_request("/lock")}, false));
        plans.push_back(plan("pair: downgrade and write", where, read_write,
                             {downgrading_request("/lock"), write_request("/lock")}, false));
        plans.push_back(
            plan("pair: semaphore of 2", where, semaphore, {permits_request("/s", 1, 2), permits_request("/s", 2, 2)}, false));
        plans.back().limit = 2;
        plans.push_back(plan("pair: multi-lock of 2", where, two,
                             {multi_lock_request({"/a", "/b"}), multi_lock_request({"/b", "/a"})}, false));
    }
}

/// Worlds of two processes. One keeps the mutex or the read lock between its holds, or both keep the mutex.
void add_kept(std::vector<Plan>& plans) {
    const Queues lock = {{"/lock", detail::mutex_names()}};
    const Queues read_write = {{"/lock", detail::read_write_names()}};
    for (const auto& where : places_of_two) {
        if (where.placement.size() < 2) continue;
        plans.push_back(
            plan("kept: read lock", where, read_write, {kept_read_request("/lock", 2), write_request("/lock")}, false));
        plans.push_back(plan("kept: mutex", where, lock, {kept_mutex_request("/lock", 2), mutex_request("/lock")}, false));
        plans.push_back(
            plan("kept by both: mutex", where, lock, {kept_mutex_request("/lock", 2), kept_mutex_request("/lock", 1)}, false));
    }
}

/// Two readers of one process share the node of their read lock. A writer waits elsewhere.
void add_kept_together(std::vector<Plan>& plans) {
    const Queues read_write = {{"/lock", detail::read_write_names()}};
    const std::vector<LockRequest> requests = {kept_read_request("/lock", 2), kept_read_request("/lock", 1),
                                               write_request("/lock")};
    for (const auto& where : places) {
        if (where.placement.size() == 2) plans.push_back(plan("kept together: read lock", where, read_write, requests, false));
    }
}

/// Two contenders of one process hand their node over. A third one waits elsewhere.
void add_handed_on(std::vector<Plan>& plans) {
    const Queues lock = {{"/lock", detail::mutex_names()}};
    const std::vector<LockRequest> requests = {handed_on_mutex_request("/lock"), handed_on_mutex_request("/lock"),
                                               mutex_request("/lock")};
    for (const auto& where : places) {
        if (where.placement.size() == 2) plans.push_back(plan("handed on: mutex", where, lock, requests, false));
    }
}

/// Three waiters of one session share a partial knowledge of the queue. A node of another session may be between their nodes.
const std::vector<Where> places_of_four = {
    {"three of one session and one of another at the leader", {0, 0, 0, 1}, {0, 0}},
    {"three of one session at the follower and one of another", {0, 0, 0, 1}, {1, 0}},
};

} // namespace

std::vector<Plan> all_worlds() {
    std::vector<Plan> plans;
    const Queues lock = {{"/lock", detail::mutex_names()}};
    for (const auto& where : places) {
        plans.push_back(plan("mutex", where, lock, std::vector<LockRequest>(3, mutex_request("/lock")), true));
    }
    const Queues read_write = {{"/lock", detail::read_write_names()}};
    const Queues semaphore = {{"/s/leases", detail::lease_names()}, {"/s/locks", detail::mutex_names()}};
    const Queues two = {{"/a", detail::mutex_names()}, {"/b", detail::mutex_names()}};
    LockRequest guarded = mutex_request("/lock");
    guarded.commits = true;
    for (const auto& where : places) {
        plans.push_back(plan("read/write with downgrade", where, read_write,
                             {downgrading_request("/lock"), read_request("/lock"), write_request("/lock")}, false));
    }
    for (const auto& where : places) {
        plans.push_back(plan("semaphore of 2", where, semaphore,
                             {permits_request("/s", 1, 2), permits_request("/s", 2, 2), permits_request("/s", 1, 2)}, false));
        plans.back().limit = 2;
    }
    for (const auto& where : places) {
        plans.push_back(plan("multi-lock of 2", where, two,
                             {multi_lock_request({"/a", "/b"}), multi_lock_request({"/b", "/a"}), mutex_request("/b")}, false));
    }
    for (const auto& where : places) {
        plans.push_back(plan("guarded transaction", where, lock, std::vector<LockRequest>(3, guarded), false));
    }
    const Queues election = {{"/lead", detail::latch_names()}};
    for (const auto& where : places) {
        plans.push_back(plan("leader election", where, election, std::vector<LockRequest>(3, lead_request("/lead")), true));
    }
    for (const auto& where : places_of_four) {
        plans.push_back(plan("four: mutex", where, lock, std::vector<LockRequest>(4, mutex_request("/lock")), true));
    }
    add_pairs(plans);
    add_kept(plans);
    add_kept_together(plans);
    add_handed_on(plans);
    return plans;
}

std::vector<std::string> worlds_of_a_night() {
    const std::vector<std::string> recipes = {"mutex",          "leader election", "read/write with downgrade",
                                              "semaphore of 2", "multi-lock of 2", "guarded transaction"};
    std::vector<std::string> worlds;
    worlds.reserve(2 * recipes.size());
    for (const auto& recipe : recipes) {
        worlds.push_back(recipe + ", one session at the leader");
        worlds.push_back(recipe + ", two sessions at leader and follower");
    }
    return worlds;
}

} // namespace docent::explorer
