// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a contender of each recipe may want, and the leases that it gets.

#include "lock_requests.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

using LeaseCorePtr = std::shared_ptr<LeaseCore>;

struct LockRequest {
    std::string text;
    std::function<AttemptPtr(const LockRequests&, std::size_t client, AcquireWait)> start;
    std::function<std::vector<LeaseCorePtr>(const AttemptPtr&)> leases;
    bool exclusive = true;   // no other contender can hold it at the same time
    bool downgrades = false; // before the release
    bool commits = false;    // a guarded transaction before the release
    int holds = 1;           // number of holds, one after the other
    LeaseTerms terms = {};
    std::function<std::shared_ptr<MutexCore>(const LockRequests&, std::size_t client)> keep =
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

inline LockRequest mutex_request(std::string path) {
    return {
        "the mutex " + path,
        [path](const LockRequests& request, std::size_t client, AcquireWait wait) { return request.mutex(client, path, wait); },
        lease_of};
}

/// The contender takes the lock `holds` times, and keeps its node between them.
inline LockRequest kept(LockRequest request, int holds) {
    request.text += ", kept";
    request.holds = holds;
    request.terms.keep_for = std::chrono::hours{1};
    return request;
}

inline LockRequest kept_mutex_request(const std::string& path, int holds) {
    LockRequest request = kept(mutex_request(path), holds);
    request.keep = [path](const LockRequests& requests, std::size_t client) { return requests.mutex_object(client, path); };
    return request;
}

/// The contender hands its node to the next waiter of its process, once in a row.
inline LockRequest handed_on_mutex_request(const std::string& path) {
    LockRequest request = mutex_request(path);
    request.text += ", handed on";
    request.terms.max_local_handovers = 1;
    request.keep = [path](const LockRequests& requests, std::size_t client) { return requests.mutex_object(client, path); };
    return request;
}

inline LockRequest lead_request(std::string path) {
    return {
        "to lead at " + path,
        [path](const LockRequests& request, std::size_t client, AcquireWait wait) { return request.lead(client, path, wait); },
        lease_of};
}

inline LockRequest read_request(std::string path) {
    return {
        "to read " + path,
        [path](const LockRequests& request, std::size_t client, AcquireWait wait) { return request.read(client, path, wait); },
        lease_of, false};
}

inline LockRequest kept_read_request(const std::string& path, int holds) {
    LockRequest request = kept(read_request(path), holds);
    request.keep = [path](const LockRequests& requests, std::size_t client) { return requests.reading_object(client, path); };
    return request;
}

inline LockRequest write_request(std::string path) {
    return {
        "to write " + path,
        [path](const LockRequests& request, std::size_t client, AcquireWait wait) { return request.write(client, path, wait); },
        lease_of};
}

inline LockRequest downgrading_request(std::string path) {
    LockRequest request = write_request(std::move(path));
    request.text += ", then to read";
    request.downgrades = true;
    return request;
}

inline LockRequest permits_request(std::string path, std::int32_t count, std::int32_t limit) {
    return {std::to_string(count) + " of the " + std::to_string(limit) + " permits " + path,
            [path, count, limit](const LockRequests& request, std::size_t client, AcquireWait wait) {
                return request.permits(client, path, count, limit, wait);
            },
            [](const AttemptPtr& attempt) { return cores_of(*static_cast<const std::vector<Lease>*>(attempt->got.get())); },
            limit == 1};
}

inline LockRequest multi_lock_request(std::vector<std::string> paths) {
    std::string text = "all of";
    for (const auto& path : paths) text += " " + path;
    return {text,
            [paths = std::move(paths)](const LockRequests& request, std::size_t client, AcquireWait wait) {
                return request.all_of(client, paths, wait);
            },
            [](const AttemptPtr& attempt) { return cores_of(static_cast<const MultiLease*>(attempt->got.get())->leases()); }};
}

} // namespace docent::detail
