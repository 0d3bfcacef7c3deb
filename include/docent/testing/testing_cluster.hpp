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

/// Options of a TestingCluster.
/// ```cpp
/// docent::testing::ClusterOptions options{
///     .servers = 5, .properties = {{"reconfigEnabled", "false"}}};
/// docent::testing::TestingCluster cluster{options};
/// ```
/// @ingroup testing
struct ClusterOptions {
    /// The number of servers, 1 to 255. More than half of the servers form a quorum.
    std::size_t servers = 3;
    /// The length of ZooKeeper's tick. Session timeouts are 2 to 20 ticks; a session expires at the end of a tick.
    ///
    /// The limits between servers do not depend on the tick: `initLimit` is 10 s and `syncLimit` 5 s, unless `properties` sets
    /// them.
    std::chrono::milliseconds tick_time{500};
    /// More lines for the `zoo.cfg` of every server, by name.
    std::map<std::string, std::string> properties = {};
    /// More options for every Java virtual machine.
    std::vector<std::string> java_options = {};
    /// Returns the port at which server `from` reaches server `to` while `to` leads; `port` is the real port.
    ///
    /// Use it to put a FaultProxy for Traffic::bytes between two servers. The cluster calls it for each pair before the servers
    /// start, and again if it has to choose other ports. Needs the property `reconfigEnabled=false`: otherwise followers use
    /// the addresses in the leader's list.
    std::function<std::uint16_t(std::size_t from, std::size_t to, std::uint16_t port)> leader_port = {};
};

/// Several real ZooKeeper servers that form one ensemble, for tests. They run as child processes.
/// ```cpp
/// docent::testing::TestingCluster cluster; // three servers
/// docent::Client tested{{.connect_string = cluster.connect_string()}};
/// tested.start();
/// tested.create("/a");
/// cluster.server(cluster.leader().value()).kill();
/// cluster.wait_for_quorum();
/// ```
/// Each server is a TestingServer: kill, stop, pause and start it as a single server. One difference: its start() and restart()
/// return as soon as the server answers four-letter words, because without a quorum it serves no client. Then call
/// wait_for_quorum().
///
/// All servers listen on free ports of 127.0.0.1. The cluster reserves the ports until it is destroyed, also for stopped
/// servers. The data is temporary. Dynamic reconfiguration is enabled; `/zookeeper/config` lists the addresses for clients.
/// - Errors: members that are not `noexcept` may throw `std::runtime_error`. The text names the fault and a remedy. A server
///   number out of range throws `std::out_of_range`.
/// - Thread safety: one thread at a time, for the cluster and all its servers.
/// - Lifetime: the servers end with this object, and with this process, also if the process is killed. In a child made by
///   `fork()` the destructor does nothing.
/// @ingroup testing
class DOCENT_EXPORT TestingCluster {
public:
    /// Starts the servers, and returns when all serve clients.
    explicit TestingCluster(ClusterOptions options = {});
    /// Kills the servers and removes their data.
    ~TestingCluster();
    /// Deleted: the object cannot be copied.
    TestingCluster(const TestingCluster&) = delete;
    /// Deleted: the object cannot be copied.
    TestingCluster& operator=(const TestingCluster&) = delete;

    /// Returns the addresses of all servers, running or not: `127.0.0.1:<port>,127.0.0.1:<port>,...`.
    std::string connect_string() const;
    /// Returns the number of servers.
    std::size_t size() const noexcept;
    /// Returns the server with this number, from 0. Its id in the ensemble (`myid`) is `number` + 1.
    ///
    /// The reference is valid as long as the cluster.
    TestingServer& server(std::size_t number);
    /// As above, for a constant cluster.
    const TestingServer& server(std::size_t number) const;

    /// Waits until one server leads and all other servers that run and are not paused follow it.
    ///
    /// Errors: throws `std::runtime_error` after `longest`.
    void wait_for_quorum(std::chrono::milliseconds longest = std::chrono::minutes{2}) const;

    /// Returns the number of the server that leads; nothing if there is no quorum.
    ///
    /// Asks only servers that run and are not paused.
    std::optional<std::size_t> leader() const;
    /// Returns the number of the server to which the client with this session is connected; nothing if there is no such server.
    ///
    /// Asks only servers that run and are not paused.
    std::optional<std::size_t> server_of(std::int64_t session_id) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace docent::testing
