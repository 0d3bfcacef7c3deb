// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

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

const std::vector<Where> places_of_three = {
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

/// Three waiters of one session share a partial knowledge of the queue. A node of another session may be between their nodes.
const std::vector<Where> places_of_four = {
    {"three of one session and one of another at the leader", {0, 0, 0, 1}, {0, 0}},
    {"three of one session at the follower and one of another", {0, 0, 0, 1}, {1, 0}},
};

/// Collects plans: for each recipe, one for each place.
class Plans {
public:
    using Requests = std::vector<LockRequest>;
    /// Whether clients with equally many contenders at one server can swap places.
    enum class Clients { swap, differ };

    void add(const std::string& recipe, const std::vector<Where>& places, const Queues& queues, const Requests& requests,
             Clients clients = Clients::differ, std::int32_t limit = 0) {
        for (const auto& where : places) {
            Plan plan{.name = recipe + ", " + where.name,
                      .queues = queues,
                      .parts = {},
                      .placement = where.placement,
                      .group = {},
                      .limit = limit,
                      .hides = hides};
            std::vector<std::size_t> contenders(where.placement.size());
            for (std::size_t n = 0; n < requests.size(); ++n) {
                plan.parts.push_back({where.client_of[n], requests[n]});
                ++contenders[where.client_of[n]];
            }
            for (std::size_t client = 0; client < where.placement.size(); ++client) {
                plan.group.push_back(clients == Clients::swap ? 10 * contenders[client] + where.placement[client]
                                                              : 100 + client);
            }
            all.push_back(std::move(plan));
        }
    }

    bool hides = false; // in the next plans, an administrator may make nodes unreadable
    std::vector<Plan> all;
};

std::vector<Where> of_two_sessions(std::vector<Where> places) {
    std::erase_if(places, [](const Where& where) { return where.placement.size() != 2; });
    return places;
}

} // namespace

std::vector<Plan> all_worlds() {
    const Queues lock = {{"/lock", detail::mutex_names()}};
    const Queues read_write = {{"/lock", detail::read_write_names()}};
    const Queues semaphore = {{"/s/leases", detail::lease_names()}, {"/s/locks", detail::mutex_names()}};
    const Queues two = {{"/a", detail::mutex_names()}, {"/b", detail::mutex_names()}};
    const Queues election = {{"/lead", detail::latch_names()}};
    const auto mutex = mutex_request("/lock");
    const auto lead = lead_request("/lead");
    const auto read = read_request("/lock");
    const auto write = write_request("/lock");
    const auto downgrading = downgrading_request("/lock");
    const auto one = permits_request("/s", 1, 2);
    const auto both = permits_request("/s", 2, 2);
    const auto a_and_b = multi_lock_request({"/a", "/b"});
    const auto b_and_a = multi_lock_request({"/b", "/a"});
    LockRequest guarded = mutex;
    guarded.commits = true;

    using enum Plans::Clients;
    Plans plans;
    plans.add("mutex", places_of_three, lock, {mutex, mutex, mutex}, swap);
    plans.add("read/write with downgrade", places_of_three, read_write, {downgrading, read, write});
    plans.add("semaphore of 2", places_of_three, semaphore, {one, both, one}, differ, 2);
    plans.add("multi-lock of 2", places_of_three, two, {a_and_b, b_and_a, mutex_request("/b")});
    plans.add("guarded transaction", places_of_three, lock, {guarded, guarded, guarded});
    plans.add("leader election", places_of_three, election, {lead, lead, lead}, swap);
    plans.add("four: mutex", places_of_four, lock, {mutex, mutex, mutex, mutex}, swap);

    // The worlds of two contenders are smaller, so more faults can be searched, and more kinds of faults.
    plans.hides = true;
    plans.add("pair: mutex", places_of_two, lock, {mutex, mutex}, swap);
    plans.add("pair: downgrade and read", places_of_two, read_write, {downgrading, read});
    plans.add("pair: downgrade and write", places_of_two, read_write, {downgrading, write});
    plans.hides = false;
    plans.add("pair: guarded transaction", places_of_two, lock, {guarded, guarded});
    plans.add("pair: semaphore of 2", places_of_two, semaphore, {one, both}, differ, 2);
    plans.add("pair: multi-lock of 2", places_of_two, two, {a_and_b, b_and_a});

    // Two processes. One keeps the mutex or the read lock between its holds, or both keep the mutex.
    const auto two_alone = of_two_sessions(places_of_two);
    plans.add("kept: read lock", two_alone, read_write, {kept_read_request("/lock", 2), write});
    plans.add("kept: mutex", two_alone, lock, {kept_mutex_request("/lock", 2), mutex});
    plans.add("kept by both: mutex", two_alone, lock, {kept_mutex_request("/lock", 2), kept_mutex_request("/lock", 1)});

    // Two readers of one process share the node of their read lock, and a writer waits elsewhere. Or two contenders of one
    // process hand their node over, and a third one waits elsewhere.
    const auto two_and_one = of_two_sessions(places_of_three);
    plans.add("kept together: read lock", two_and_one, read_write,
              {kept_read_request("/lock", 2), kept_read_request("/lock", 1), write});
    plans.add("handed on: mutex", two_and_one, lock,
              {handed_on_mutex_request("/lock"), handed_on_mutex_request("/lock"), mutex});
    return std::move(plans.all);
}

std::vector<std::string> worlds_of_a_long_run() {
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
