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

/// Which way bytes flow through a proxy.
enum class Direction { to_server, to_client };

/// What passes through a FaultProxy: requests of clients, or bytes of which it knows nothing, such as those between servers.
/// Rules about requests and replies strike only the former.
enum class Traffic { requests, bytes };

/// Requests of ZooKeeper's protocol, by their number on the wire.
enum class Opcode : std::int32_t {
    create = 1,
    remove = 2,
    exists = 3,
    get = 4,
    set = 5,
    get_acl = 6,
    set_acl = 7,
    children = 8,
    sync = 9,
    ping = 11,
    children2 = 12,
    check = 13,
    multi = 14,
    create2 = 15,
    reconfig = 16,
    remove_watches = 18,
    create_container = 19,
    create_ttl = 21,
    auth = 100,
    set_watches = 101,
    close_session = -11,
};

/// A TCP proxy between a client and one server, on a thread of its own, that misbehaves as a test tells it to. It listens on a
/// free port of 127.0.0.1. Rules act on present and later connections until heal(), and are in force when the call that makes
/// them returns. A `cut_*_request`, `cut_*_reply` or `cut_after_bytes` strikes once. Four-letter words pass as well.
/// In a child made by `fork()` the destructor does nothing, and no other member may be called.
///
/// Errors: the constructor throws std::runtime_error. Thread safety: all members from any thread.
class DOCENT_EXPORT FaultProxy {
public:
    explicit FaultProxy(std::uint16_t server_port, Traffic traffic = Traffic::requests);
    ~FaultProxy();
    FaultProxy(const FaultProxy&) = delete;
    FaultProxy& operator=(const FaultProxy&) = delete;

    std::uint16_t port() const noexcept;
    /// `127.0.0.1:<port>`
    std::string connect_string() const;

    /// Closes every connection now (a reset, not an orderly end).
    void cut();
    /// Accepts no connection (they are reset at once); present ones go on.
    void refuse();
    /// Accepts connections and lets nothing through in either direction, as a router that died.
    void black_hole();
    /// The same for one direction.
    void black_hole(Direction direction);
    /// Holds every byte of this direction back for so long.
    void delay(Direction direction, std::chrono::milliseconds time);
    /// Cuts the connection on which so many more bytes, counted over all, have gone in this direction.
    void cut_after_bytes(Direction direction, std::size_t bytes);

    /// Cuts the connection when the next request of this kind arrives, before it is forwarded: the request is lost.
    void cut_before_request(Opcode opcode);
    /// Forwards the next request of this kind and cuts when its reply arrives, before that is forwarded: the reply is lost.
    void cut_before_reply(Opcode opcode);
    /// Calls `action` on the proxy's thread each time a whole request of this kind has been forwarded. It may call all members
    /// but wait_cuts(), and must not throw. One action a kind: a later call replaces it.
    void on_forwarded(Opcode opcode, std::function<void()> action);

    /// Ends all rules; what was held back by a delay or a black hole is forwarded.
    void heal();

    /// Waits until so many `cut_before_*` and `cut_after_bytes` rules have struck since the beginning; false if `timeout`
    /// passed.
    bool wait_cuts(std::size_t count, std::chrono::milliseconds timeout);
    /// Connections accepted since the beginning.
    std::size_t connections() const;
    /// Requests of this kind forwarded since the beginning.
    std::size_t requests(Opcode opcode) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace docent::testing
