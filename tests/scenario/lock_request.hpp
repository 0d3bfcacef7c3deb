// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a contender of each recipe may want in a FakeWorld, and the leases that it gets.

#include "client/core/access.hpp"
#include "fake_recipes/fake_caller.hpp"
#include "fake_world.hpp"
#include "lease/lease_core.hpp"
#include "local/local_acquire.hpp"
#include "multi/multi_operation.hpp"
#include "mutex/mutex_core.hpp"
#include "read_write/read_write_core.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <docent/recipes/lease.hpp>
#include <docent/recipes/multi_lease.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// An operation and its result.
struct Attempt {
    std::weak_ptr<Operation> operation;
    int completed = 0;
    error_code ec;
    std::shared_ptr<void> got; // a Lease, several, or a MultiLease

    void abort(error_code why) {
        if (const auto alive = operation.lock()) alive->abort(why);
    }
};
using AttemptPtr = std::shared_ptr<Attempt>;

/// Starts operations in a world, on these terms.
class LockRequests {
public:
    /// `owner`: the contender of a shared client that starts the operation; 0: contenders are not distinguished.
    explicit LockRequests(FakeWorld& world, LeaseTerms terms = {}, FakeClient::Owner owner = 0)
        : world_(world), terms_(std::move(terms)), owner_(owner) {}

    AttemptPtr mutex(std::size_t client, const std::string& path, AcquireWait wait = {}) const {
        return begin<Lease>([&](Done<Lease> done) {
            return std::make_shared<MutexCore>(view(client), path, boot_now(client), terms_)
                ->attempt(view(client), wait, std::move(done));
        });
    }
    /// While this object lives, the client keeps nodes as the terms say.
    std::shared_ptr<MutexCore> mutex_object(std::size_t client, const std::string& path) const {
        auto object = std::make_shared<MutexCore>(view(client), path, boot_now(client), terms_);
        object->local();
        return object;
    }
    std::shared_ptr<MutexCore> reading_object(std::size_t client, const std::string& path) const {
        auto object = make_read_write(view(client), path, boot_now(client), terms_).read;
        object->local();
        return object;
    }
    AttemptPtr read(std::size_t client, const std::string& path, AcquireWait wait = {}) const {
        return begin<Lease>([&](Done<Lease> done) {
            return make_read_write(view(client), path, boot_now(client), terms_)
                .read->attempt(view(client), wait, std::move(done));
        });
    }
    AttemptPtr write(std::size_t client, const std::string& path, AcquireWait wait = {}) const {
        return begin<Lease>([&](Done<Lease> done) {
            return make_read_write(view(client), path, boot_now(client), terms_)
                .write->attempt(view(client), wait, std::move(done));
        });
    }
    /// Enters the queue as a leader latch does.
    AttemptPtr lead(std::size_t client, const std::string& path, AcquireWait wait = {}) const {
        return begin<Lease>([&](Done<Lease> done) {
            QueuePlace place{
                path, latch_names(), latch_token, Deletion::admits, {.node_data = "candidate", .max_hold = terms_.max_hold}};
            return std::make_shared<AcquireOperation>(view(client), nullptr, std::move(place), wait, boot_now(client),
                                                      std::move(done));
        });
    }
    AttemptPtr downgrade(const AttemptPtr& write) const {
        return begin<Lease>([&](Done<Lease> done) {
            const auto held = Access::core(*static_cast<const Lease*>(write->got.get()));
            return std::make_shared<DowngradeOperation>(held->view(), held, WriteLease::is_released, std::move(done));
        });
    }
    AttemptPtr permits(std::size_t client, const std::string& path, std::int32_t count, std::int32_t limit = 3,
                       AcquireWait wait = {}) const {
        return begin<std::vector<Lease>>([&](Done<std::vector<Lease>> done) {
            const LeaseTerms terms{.node_data = "worker", .max_hold = terms_.max_hold};
            const SemaphorePlace place{path, fixed_limit(limit), terms, boot_now(client)};
            return std::make_shared<SemaphoreOperation>(view(client), place, count, wait, std::move(done));
        });
    }
    AttemptPtr all_of(std::size_t client, const std::vector<std::string>& paths, AcquireWait wait = {}) const {
        return begin<MultiLease>([&](Done<MultiLease> done) {
            std::vector<std::shared_ptr<LockSource>> locks;
            for (const auto& path : paths) {
                locks.push_back(std::make_shared<MutexCore>(view(client), path, boot_now(client), terms_));
            }
            return std::make_shared<MultiOperation>(std::make_shared<MultiCore>(std::move(locks)), wait, CallOptions{},
                                                    std::move(done));
        });
    }

private:
    std::shared_ptr<ClientView> view(std::size_t client) const {
        if (owner_ == 0) return world_.share(client);
        return std::make_shared<FakeCaller>(world_.share(client), owner_);
    }
    BootNow boot_now(std::size_t client) const {
        return [view = world_.share(client)] { return view->boot_now(); };
    }
    template <typename Result, typename Make> static AttemptPtr begin(const Make& make) {
        auto attempt = std::make_shared<Attempt>();
        const std::shared_ptr<Operation> operation = make([attempt](error_code ec, Result result) {
            ++attempt->completed;
            attempt->ec = ec;
            if (!ec) attempt->got = std::make_shared<Result>(std::move(result));
        });
        attempt->operation = operation;
        operation->begin();
        return attempt;
    }

    FakeWorld& world_;
    const LeaseTerms terms_;
    const FakeClient::Owner owner_;
};

// ---- requests of a contender

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
        nullptr;                                                  // an object that exists between the holds
    std::optional<std::chrono::nanoseconds> tries_end_after = {}; // a try ends then, even if no server answers
};

inline std::vector<LeaseCorePtr> cores_of(const std::vector<Lease>& leases) {
    std::vector<LeaseCorePtr> cores;
    for (const Lease& lease : leases) cores.push_back(Access::core(lease));
    return cores;
}

inline std::vector<LeaseCorePtr> lease_of(const AttemptPtr& attempt) {
    return {Access::core(*static_cast<const Lease*>(attempt->got.get()))};
}

/// A lock with one node. `start`: the member of LockRequests that starts an acquire.
inline LockRequest single_request(const std::string& text, const std::string& path,
                                  AttemptPtr (LockRequests::*start)(std::size_t, const std::string&, AcquireWait) const) {
    return {text + path,
            [path, start](const LockRequests& requests, std::size_t client, AcquireWait wait) {
                return (requests.*start)(client, path, wait);
            },
            lease_of};
}

inline LockRequest mutex_request(const std::string& path) {
    return single_request("the mutex ", path, &LockRequests::mutex);
}

inline LockRequest lead_request(const std::string& path) {
    return single_request("to lead at ", path, &LockRequests::lead);
}

inline LockRequest write_request(const std::string& path) {
    return single_request("to write ", path, &LockRequests::write);
}

inline LockRequest read_request(const std::string& path) {
    LockRequest request = single_request("to read ", path, &LockRequests::read);
    request.exclusive = false;
    return request;
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

inline LockRequest kept_read_request(const std::string& path, int holds) {
    LockRequest request = kept(read_request(path), holds);
    request.keep = [path](const LockRequests& requests, std::size_t client) { return requests.reading_object(client, path); };
    return request;
}

inline LockRequest downgrading_request(const std::string& path) {
    LockRequest request = write_request(path);
    request.text += ", then to read";
    request.downgrades = true;
    return request;
}

inline LockRequest permits_request(const std::string& path, std::int32_t count, std::int32_t limit) {
    return {.text = std::to_string(count) + " of the " + std::to_string(limit) + " permits " + path,
            .start = [path, count, limit](const LockRequests& request, std::size_t client,
                                          AcquireWait wait) { return request.permits(client, path, count, limit, wait); },
            .leases =
                [](const AttemptPtr& attempt) { return cores_of(*static_cast<const std::vector<Lease>*>(attempt->got.get())); },
            .exclusive = limit == 1,
            .tries_end_after = TryAtGate::longest_wait};
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
