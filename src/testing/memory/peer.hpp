// SPDX-License-Identifier: Apache-2.0
#pragma once

// One client's connection, as the rules of the protocol see it. Its bytes go through MemoryConnection.

#include "testing/memory/acl_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace docent::testing {

class Peer {
public:
    Peer() = default;
    virtual ~Peer() = default;
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// Sends a frame, given without its length.
    virtual void send(std::string frame) = 0;
    /// Sends the frames that were held up.
    virtual void flush() = 0;
    /// Closes the connection. The client still receives all earlier frames that were not held up.
    virtual void cut() = 0;
    /// Whether the client reads its answers fast enough for more of them.
    virtual bool has_room() const { return true; }

    std::size_t server = 0;
    std::int64_t session = 0; // 0: before the handshake
    std::vector<detail::Identity> identities = {{"ip", "127.0.0.1"}};
    bool stalled = false;
    bool closed = false;             // nothing more is read or sent
    std::deque<std::string> waiting; // frames that arrived while the peer or its server was held up, or without room
    std::size_t waiting_bytes = 0;

    // ---- for `cons`
    std::uint16_t port = 0; // the client's
    std::int64_t received = 0;
    std::int64_t sent = 0;
};

} // namespace docent::testing
