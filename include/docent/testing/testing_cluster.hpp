// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/testing/testing_server.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::testing {

/// How a TestingCluster runs.
struct ClusterOptions {
    /// Number of servers, 1 to 255. More than half of them are a quorum.
    std::size_t servers = 3;
    /// Length of ZooKeeper's tick. Sessions time out after 2 to 20 ticks, at the end of a tick. What servers allow each other
    /// (`initLimit`, `syncLimit`) is 10 s and 5 s whatever the tick, unless the properties say otherwise.
    std::chrono::milliseconds tick_time{500};
    /// More lines for the zoo.cfg of every server.
    std::map<std::string, std::string> properties = {};
    /// More options for every Java virtual machine.
    std::vector<std::string> java_options = {};
    /// Where server `from` finds server `to` when that leads, instead of at this port: the port of a FaultProxy for
    /// Traffic::bytes, say. Asked for each pair before the servers start, again when they have to be started on other ports.
    /// Needs the property `reconfigEnabled=false`, or followers go by the leader's list.
    std::function<std::uint16_t(std::size_t from, std::size_t to, std::uint16_t port)> leader_port = {};
};

/// Several real ZooKeeper servers that form one ensemble, as child processes, for tests:
///
///     TestingCluster cluster;                                  // three servers, one of them leads
///     Client client{{.connect_string = cluster.connect_string()}};
///     ...
///     cluster.server(cluster.leader().value()).kill();
///
/// When the constructor returns all serve clients. All listen on free ports of 127.0.0.1, which are kept until the cluster is
/// destroyed, also those of a server that is stopped; data is temporary. They die with this process, however that ends.
/// In a child made by `fork()` the destructor does nothing.
/// Dynamic reconfiguration is enabled; `/zookeeper/config` lists the addresses for clients.
///
/// Each server is a TestingServer, to be killed, stopped, paused and started again as one that stands alone. Only its start()
/// and restart() wait for less: until it runs, because without a quorum it would serve nobody. Then wait_for_quorum() helps.
///
/// Errors: every member throws std::runtime_error with one line that says what is wrong and what to do, for a `server`
/// that the cluster does not have std::out_of_range. Thread safety: one thread at a time, the servers included.
class DOCENT_EXPORT TestingCluster {
public:
    explicit TestingCluster(ClusterOptions options = {});
    ~TestingCluster();
    TestingCluster(const TestingCluster&) = delete;
    TestingCluster& operator=(const TestingCluster&) = delete;

    /// `127.0.0.1:<port>,127.0.0.1:<port>,...`: all servers, running or not.
    std::string connect_string() const;
    std::size_t size() const noexcept;
    /// The server of this number, from 0; its id in the ensemble (`myid`) is one more. Lives as long as the cluster.
    TestingServer& server(std::size_t number);
    const TestingServer& server(std::size_t number) const;

    /// Waits until one server leads, and all others that run, but for paused ones, follow it. Throws when that takes longer.
    void wait_for_quorum(std::chrono::milliseconds longest = std::chrono::minutes{2}) const;

    // These ask the servers that run and are not paused.

    /// The server that says that it leads; nothing while there is no quorum.
    std::optional<std::size_t> leader() const;
    /// The server that the client with this session is connected to; nothing while it is connected to none of them.
    std::optional<std::size_t> server_of(std::int64_t session_id) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace docent::testing
