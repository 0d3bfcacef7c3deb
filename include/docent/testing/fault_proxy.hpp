// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace docent::testing {

/// A direction of the bytes that pass through a FaultProxy.
/// @ingroup testing
enum class Direction {
    to_server, ///< From the client to the server.
    to_client  ///< From the server to the client.
};

/// The kind of data that passes through a FaultProxy.
/// @ingroup testing
enum class Traffic {
    requests, ///< Requests and replies of ZooKeeper clients.
    bytes     ///< Any bytes, for example those between servers. Rules about requests and replies have no effect.
};

/// The kinds of requests in ZooKeeper's protocol, by their number on the wire.
/// @ingroup testing
enum class Opcode : std::int32_t {
    create = 1,            ///< Create a node; the reply has no metadata.
    remove = 2,            ///< Remove a node.
    exists = 3,            ///< Read a node's metadata.
    get = 4,               ///< Read a node's data.
    set = 5,               ///< Replace a node's data.
    get_acl = 6,           ///< Read a node's ACL.
    set_acl = 7,           ///< Replace a node's ACL.
    children = 8,          ///< List a node's children; the reply has no metadata.
    sync = 9,              ///< Wait until the server has applied all committed writes.
    ping = 11,             ///< Keep the session alive.
    children2 = 12,        ///< List a node's children; the reply has the metadata.
    check = 13,            ///< Check a node's version, within a transaction.
    multi = 14,            ///< Apply a transaction.
    create2 = 15,          ///< Create a node; the reply has the metadata.
    reconfig = 16,         ///< Change the ensemble.
    remove_watches = 18,   ///< Remove watches.
    create_container = 19, ///< Create a container.
    create_ttl = 21,       ///< Create a node with a TTL.
    auth = 100,            ///< Present credentials.
    set_watches = 101,     ///< Restore watches after a reconnect.
    close_session = -11,   ///< Close the session.
};

/// A TCP proxy between clients and one server that causes faults as a test demands.
/// ```cpp
/// docent::testing::FaultProxy proxy{2181};
/// docent::Client tested{{.connect_string = proxy.connect_string()}};
/// tested.start();
/// proxy.cut_before_reply(docent::testing::Opcode::get);
/// tested.get("/"); // the reply is lost; the client reconnects and asks again
/// ```
/// The proxy listens on a free port of 127.0.0.1. Rules apply to present and later connections until heal(). A rule is in force
/// when the call that adds it returns. Each `cut_before_...` and `cut_after_bytes` rule acts once. Four-letter words pass, too.
/// - Errors: the constructor throws `std::runtime_error`.
/// - Thread safety: any thread may call all members.
/// - Lifetime: the proxy runs on a thread until the destructor returns. In a child made by `fork()` the destructor does
///   nothing; do not call other members there.
/// @ingroup testing
class DOCENT_EXPORT FaultProxy {
public:
    /// Starts a proxy for the server at `server_port` of 127.0.0.1.
    explicit FaultProxy(std::uint16_t server_port, Traffic traffic = Traffic::requests);
    /// Closes every connection with a reset and stops the proxy.
    ~FaultProxy();
    /// Deleted: the object cannot be copied.
    FaultProxy(const FaultProxy&) = delete;
    /// Deleted: the object cannot be copied.
    FaultProxy& operator=(const FaultProxy&) = delete;

    /// Returns the port of 127.0.0.1 on which the proxy listens.
    std::uint16_t port() const noexcept;
    /// Returns `127.0.0.1:<port>`, for `ClientConfig::connect_string`.
    std::string connect_string() const;

    /// Closes every connection now with a reset.
    void cut();
    /// Refuses new connections; present connections continue.
    void refuse();
    /// Accepts connections, but holds all bytes in both directions, as a broken router does.
    void black_hole();
    /// As above, for one direction.
    void black_hole(Direction direction);
    /// Delays every byte in this direction by `time`.
    void delay(Direction direction, std::chrono::milliseconds time);
    /// Cuts a connection after `bytes` more bytes have passed in this direction.
    ///
    /// The bytes of all connections count. The proxy cuts the connection on which the last of these bytes passes.
    void cut_after_bytes(Direction direction, std::size_t bytes);

    /// Cuts the connection when the next request of this kind arrives. The request is lost.
    void cut_before_request(Opcode opcode);
    /// Forwards the next request of this kind, and cuts the connection when its reply arrives. The reply is lost.
    void cut_before_reply(Opcode opcode);
    /// Calls `action` on the proxy's thread each time the proxy has forwarded a request of this kind.
    ///
    /// `action` may call all members except wait_cuts(), and must not throw. A later call for the same kind replaces `action`.
    void on_forwarded(Opcode opcode, std::function<void()> action);

    /// Removes all rules, and forwards all bytes that a delay or a black hole held.
    void heal();

    /// Waits until `count` of the `cut_before_...` and `cut_after_bytes` rules have acted since the start.
    ///
    /// Returns false if `timeout` passes first.
    bool wait_cuts(std::size_t count, std::chrono::milliseconds timeout);
    /// Returns the number of connections that the proxy has accepted.
    std::size_t connections() const;
    /// Returns the number of requests of this kind that the proxy has forwarded.
    std::size_t requests(Opcode opcode) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace docent::testing
