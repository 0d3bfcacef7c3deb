// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a contender of each recipe may want, and the leases that it gets.

#include "wishes.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

using LeaseCorePtr = std::shared_ptr<LeaseCore>;

struct Wish {
    std::string text;
    std::function<AttemptPtr(const Wishes&, std::size_t client, AcquireWait)> start;
    std::function<std::vector<LeaseCorePtr>(const AttemptPtr&)> leases;
    bool exclusive = true;   // no other contender can hold it at the same time
    bool downgrades = false; // before the release
    bool commits = false;    // a guarded transaction before the release
    int holds = 1;           // number of holds, one after the other
    LeaseTerms terms = {};
    std::function<std::shared_ptr<MutexCore>(const Wishes&, std::size_t client)> keep =
        nullptr; // an object that exists between the holds
};

inline std::vector<LeaseCorePtr> cores_of(const std::vector<Lease>& leases) {
    std::vector<LeaseCorePtr> cores;
    for (const Lease& lease : leases) cores.push_back(Access::core(lease));
    return cores;
}

inline std::vector<LeaseCorePtr> lease_of(const AttemptPtr& attempt) {
    return {Access::core(*static_cast<const Lease*>(attempt->got.get()))};
}

inline Wish mutex_wish(std::string path) {
    return {"the mutex " + path,
            [path](const Wishes& wish, std::size_t client, AcquireWait wait) { return wish.mutex(client, path, wait); },
            lease_of};
}

/// The contender takes the lock `holds` times, and keeps its node between them.
inline Wish kept(Wish wish, int holds) {
    wish.text += ", kept";
    wish.holds = holds;
    wish.terms.keep_for = std::chrono::hours{1};
    return wish;
}

inline Wish kept_mutex_wish(const std::string& path, int holds) {
    Wish wish = kept(mutex_wish(path), holds);
    wish.keep = [path](const Wishes& wishes, std::size_t client) { return wishes.mutex_object(client, path); };
    return wish;
}

/// The contender hands its node to the next waiter of its process, once in a row.
inline Wish handed_on_mutex_wish(const std::string& path) {
    Wish wish = mutex_wish(path);
    wish.text += ", handed on";
    wish.terms.max_local_handovers = 1;
    wish.keep = [path](const Wishes& wishes, std::size_t client) { return wishes.mutex_object(client, path); };
    return wish;
}

inline Wish lead_wish(std::string path) {
    return {"to lead at " + path,
            [path](const Wishes& wish, std::size_t client, AcquireWait wait) { return wish.lead(client, path, wait); },
            lease_of};
}

inline Wish read_wish(std::string path) {
    return {"to read " + path,
            [path](const Wishes& wish, std::size_t client, AcquireWait wait) { return wish.read(client, path, wait); },
            lease_of, false};
}

inline Wish kept_read_wish(const std::string& path, int holds) {
    Wish wish = kept(read_wish(path), holds);
    wish.keep = [path](const Wishes& wishes, std::size_t client) { return wishes.reading_object(client, path); };
    return wish;
}

inline Wish write_wish(std::string path) {
    return {"to write " + path,
            [path](const Wishes& wish, std::size_t client, AcquireWait wait) { return wish.write(client, path, wait); },
            lease_of};
}

inline Wish downgrading_wish(std::string path) {
    Wish wish = write_wish(std::move(path));
    wish.text += ", then to read";
    wish.downgrades = true;
    return wish;
}

inline Wish permits_wish(std::string path, std::int32_t count, std::int32_t limit) {
    return {std::to_string(count) + " of the " + std::to_string(limit) + " permits " + path,
            [path, count, limit](const Wishes& wish, std::size_t client, AcquireWait wait) {
                return wish.permits(client, path, count, limit, wait);
            },
            [](const AttemptPtr& attempt) { return cores_of(*static_cast<const std::vector<Lease>*>(attempt->got.get())); },
            limit == 1};
}

inline Wish multi_lock_wish(std::vector<std::string> paths) {
    std::string text = "all of";
    for (const auto& path : paths) text += " " + path;
    return {text,
            [paths = std::move(paths)](const Wishes& wish, std::size_t client, AcquireWait wait) {
                return wish.all_of(client, paths, wait);
            },
            [](const AttemptPtr& attempt) { return cores_of(static_cast<const MultiLease*>(attempt->got.get())->leases()); }};
}

} // namespace docent::detail
