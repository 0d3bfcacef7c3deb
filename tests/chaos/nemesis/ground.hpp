// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nemesis/observer.hpp"
#include "nemesis/worker_process.hpp"

#include <docent/testing/fault_proxy.hpp>
#include <docent/testing/testing_cluster.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace docent::chaos {

struct GroundOptions {
    std::string program; ///< the path of chaos
    std::filesystem::path folder;
    std::size_t clients = 8;
    std::size_t curators = 0;
    std::uint64_t seed = 1;
    std::chrono::milliseconds session_timeout{4000};
    bool tls = false;
};

/// The servers, the workers, and the fault proxies between them. There are three servers. Each server has a proxied link to
/// each possible leader, and each worker has a proxied way to each server. With TLS, docent's workers speak it with the servers
/// through their proxies; all others use the same ports without it. Use it from one thread.
class Ground {
public:
    Ground(const GroundOptions& options, Journal& journal);

    testing::TestingCluster& cluster() { return cluster_; }
    testing::FaultProxy& link(std::size_t from, std::size_t to) { return *links_.at({from, to}); }
    std::size_t workers() const { return workers_.size(); }
    bool is_curator(std::size_t place) const { return place >= options_.clients; }
    bool speaks_tls() const { return options_.tls; }
    WorkerProcess& worker(std::size_t place) { return *workers_.at(place); }
    testing::FaultProxy& way(std::size_t place, std::size_t server) { return ways_.at(place * cluster_.size() + server); }
    /// Returns the last session of this place's worker.
    std::optional<std::int64_t> session_of(std::size_t place) const;
    Observer& observer() { return *observer_; }

    /// Starts the next process in this place.
    void start_worker(std::size_t place);
    /// Removes the data of a server that is stopped, and keeps its logs.
    void wipe(std::size_t server);
    /// Copies all transaction logs to the folder `logs`.
    void keep_logs();

private:
    void keep_logs_of(std::size_t server);

    GroundOptions options_;
    Journal& journal_;
    std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<testing::FaultProxy>> links_;
    testing::TestingCluster cluster_;
    std::deque<testing::FaultProxy> ways_;
    std::unique_ptr<Observer> observer_;
    std::vector<std::unique_ptr<WorkerProcess>> workers_;
    std::size_t started_ = 0;
    std::size_t kept_ = 0;
};

/// Repairs a broken ensemble as an administrator would, and records it (`corrupt ...`). A server restarts without its data if
/// that differs from the other servers' data even after a sync. An ephemeral node of a session that the leader does not know is
/// deleted. Returns false if it has found neither.
bool mend_replicas(Ground& ground, Journal& journal);

} // namespace docent::chaos
