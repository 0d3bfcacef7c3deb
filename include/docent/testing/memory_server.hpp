// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/testing/fault_proxy.hpp>
#include <docent/tls.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace docent::testing {

/// The clock of a MemoryServer.
/// @ingroup testing
enum class Clock {
    real,  ///< Time passes by itself. A clock that changes, or a suspended machine, has no effect.
    manual ///< Time passes when the test calls MemoryServer::advance().
};

/// Options of a MemoryServer.
/// ```cpp
/// docent::testing::MemoryOptions options{
///     .servers = 3, .clock = docent::testing::Clock::manual};
/// docent::testing::MemoryServer servers{options};
/// ```
/// @ingroup testing
struct MemoryOptions {
    /// The number of servers, 1 to 5. More than half of the servers form a quorum.
    std::size_t servers = 1;
    /// The port of 127.0.0.1 on which the first server listens; 0 for a free port. The other servers have free ports.
    ///
    /// The object reserves free ports until it is destroyed, also for stopped servers.
    std::uint16_t port = 0;
    /// The length of a tick. Session timeouts are 2 to 20 ticks; a session expires at the end of a tick.
    std::chrono::milliseconds tick_time{500};
    /// The longest session timeout; 0 for 20 ticks. ZooKeeper's option `maxSessionTimeout`.
    std::chrono::milliseconds max_session_timeout{0};
    /// Whether the servers also listen with TLS, on other ports, with certificates that are made at the start. Clients need a
    /// certificate: see MemoryServer::tls_config().
    bool tls = false;
    /// Whether nodes may have a TTL. ZooKeeper's option `extendedTypesEnabled`.
    bool extended_types = false;
    /// Whether `exists` needs the permission to read, as in ZooKeeper since 3.8.4 and 3.9.2. It needed none before.
    bool exists_needs_read = true;
    /// The time between two searches for empty containers and for nodes that have outlived their TTL. ZooKeeper's option
    /// `znode.container.checkIntervalMs`.
    std::chrono::milliseconds cleanup_interval{60'000};
    /// Whether time passes by itself.
    Clock clock = Clock::real;
};

/// One to five ZooKeeper servers in the memory of this process, for tests. They need no Java and start in a few milliseconds.
/// ```cpp
/// docent::testing::MemoryServer server;
/// docent::Client tested{{.connect_string = server.connect_string()}};
/// tested.start();
/// tested.create("/a");
/// server.lose_reply(docent::testing::Opcode::set);
/// tested.set("/a", "x"); // the reply is lost; the client sends it again
/// ```
/// Any ZooKeeper client may connect. Members that TestingServer has as well do the same, so a test can run on both. The servers
/// listen on 127.0.0.1 only and write no file. The reply to the four-letter word `srvr` names them as a MemoryServer. The page
/// `A server in memory` lists the differences from ZooKeeper. The destructor discards all data.
///
/// A fault is active when the call returns. Faults that count requests or events are exactly repeatable if a single client
/// sends the requests of that kind one after the other.
/// - Errors: members that are not `noexcept` may throw `std::runtime_error`. The text names the fault and a remedy. A server
///   number out of range throws `std::out_of_range`.
/// - Thread safety: any thread may call all members.
/// - Lifetime: the servers run on a thread until the destructor returns. In a child made by `fork()` the destructor does
///   nothing; do not call other members there. The child keeps no connection and no port open.
/// @ingroup testing
class DOCENT_EXPORT MemoryServer {
public:
    /// Starts the servers. They serve clients when the constructor returns.
    explicit MemoryServer(MemoryOptions options = {});
    /// Closes all connections and drops all data.
    ~MemoryServer();
    /// Deleted: the object cannot be copied.
    MemoryServer(const MemoryServer&) = delete;
    /// Deleted: the object cannot be copied.
    MemoryServer& operator=(const MemoryServer&) = delete;

    /// Returns the number of servers.
    std::size_t size() const noexcept;
    /// Returns the port of 127.0.0.1 on which this server listens.
    std::uint16_t port(std::size_t server = 0) const;
    /// Returns the addresses of all servers, running or not: `127.0.0.1:<port>,127.0.0.1:<port>,...`.
    std::string connect_string() const;
    /// Returns the address of one server: `127.0.0.1:<port>`.
    std::string connect_string(std::size_t server) const;
    /// Returns the addresses of the TLS ports of all servers. Throws `std::runtime_error` without MemoryOptions::tls.
    std::string tls_connect_string() const;
    /// Returns the paths of the certificates, for `ClientConfig::tls`. The files exist only in memory, as long as this object
    /// exists. All processes of this user can read them. Throws `std::runtime_error` without MemoryOptions::tls.
    TlsConfig tls_config() const;

    /// Returns whether this server runs; also true while it is paused.
    bool running(std::size_t server = 0) const;
    /// Starts a stopped server on the same port, and resumes a paused server.
    ///
    /// The data is that of the other servers, or its own if there is one server. If the servers elect a leader now, because
    /// there was no quorum before, all sessions get their full timeout again.
    void start(std::size_t server = 0);
    /// Stops a server. Its connections close, and it refuses new connections.
    void stop(std::size_t server = 0);
    /// As stop().
    void kill(std::size_t server = 0);
    /// Stops the server and starts it again.
    void restart(std::size_t server = 0);
    /// Suspends a server: connections stay open, and no request gets an answer.
    void pause(std::size_t server = 0);
    /// Resumes a paused server. It answers the requests that have arrived meanwhile. If another leader has led meanwhile, or
    /// the quorum is lost, it closes its connections, as ZooKeeper does.
    ///
    /// The time without a quorum does not count for sessions.
    void resume(std::size_t server = 0);

    /// Returns the number of the server that leads; nothing without a quorum.
    std::optional<std::size_t> leader() const;
    /// Returns the number of the server to which the client with this session is connected; nothing if there is no such server.
    std::optional<std::size_t> server_of(std::int64_t session_id) const;
    /// Returns a server's answer to a four-letter word: `ruok`, `srvr`, `stat`, `mntr`, `cons` or `isro`. Servers that serve no
    /// client answer here as well, to `mntr` that they do not serve requests.
    std::string four_letter_word(std::string_view word, std::size_t server = 0) const;
    /// Returns one value of the four-letter word `mntr`, for example `zk_packets_received`.
    std::int64_t metric(std::string_view name, std::size_t server = 0) const;

    /// Advances the manual clock.
    ///
    /// A session expires in this time if its client is stalled or not connected. A connected session stays alive, because its
    /// client would have sent heartbeats. Throws `std::runtime_error` with Clock::real.
    void advance(std::chrono::milliseconds time);
    /// Removes empty containers and nodes that have outlived their TTL now.
    void clean_up();

    /// Loses the `number`th request of this kind from now, and closes the connection: the server does not apply it.
    ///
    /// The requests of all clients count. Opcode::create stands for all forms of a create, Opcode::children and
    /// Opcode::set_watches for both forms of these. Opcode::check is refused: a check is a part of a multi.
    void lose_request(Opcode opcode, std::size_t number = 1);
    /// Applies the `number`th request of this kind from now, and closes the connection: the reply is lost.
    void lose_reply(Opcode opcode, std::size_t number = 1);
    /// Drops the `number`th watch event from now. The events for all clients count.
    void drop_event(std::size_t number = 1);
    /// Ends this session as if it had expired. Returns false if there is no such session.
    bool expire(std::int64_t session_id);
    /// Closes all connections.
    void cut();
    /// Closes the connection of this session. Returns false if it has none.
    bool cut(std::int64_t session_id);
    /// Holds all bytes of this session's connection in both directions, until unstall() or heal(). The client does not learn of
    /// the end of its session either. It learns of the end of its connection: by cut(), when its server stops, when a leader is
    /// lost, and when its session gets another connection, which is not stalled. Returns false if it has no connection.
    bool stall(std::int64_t session_id);
    /// Ends stall(). Returns false if the session has no connection.
    bool unstall(std::int64_t session_id);
    /// Lets a server that follows another one lag: it applies changes only before it replies to a write, a `sync` or a new
    /// session. Ends with catch_up() or heal(), when it stops, and when a leader is elected.
    void lag(std::size_t server);
    /// Lets the server apply all missed changes. It no longer lags.
    void catch_up(std::size_t server);
    /// The servers lose their quorum: they close all connections and serve no client, until regain_quorum() or heal(). No
    /// session expires meanwhile.
    void lose_quorum();
    /// Ends lose_quorum(). All sessions are extended.
    void regain_quorum();
    /// Ends all faults. Does not start or resume servers.
    void heal();

    /// Waits until `count` of the faults that count requests or events have acted since the start.
    ///
    /// Returns false if `timeout` passes first.
    bool wait_faults(std::size_t count, std::chrono::milliseconds timeout) const;
    /// Returns the number of connections that all servers have accepted.
    std::size_t connections() const;
    /// Returns the number of requests of this kind that have arrived.
    std::size_t requests(Opcode opcode) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace docent::testing
