// SPDX-License-Identifier: Apache-2.0
#pragma once

// ZooKeeper's client protocol: frames of clients in, frames for clients out. No I/O: a Peer sends, and the clock is a function.

#include "testing/counters.hpp"
#include "testing/memory/ensemble.hpp"
#include "testing/memory/faults.hpp"
#include "testing/memory/jute.hpp"
#include "testing/memory/peer.hpp"
#include "testing/memory/watches.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::testing {

class MemoryService {
public:
    using Time = MemoryEnsemble::Time;

    /// `start_time` and `config`: see MemoryEnsemble.
    MemoryService(const MemoryOptions& options, std::function<Time()> now, std::int64_t start_time = 0,
                  const std::string& config = {});

    MemoryEnsemble& ensemble() { return ensemble_; }
    const MemoryEnsemble& ensemble() const { return ensemble_; }
    MemoryFaults& fault_rules() { return rules_; }
    const Counters& counters() const { return counters_; }

    // ---- connections
    /// A client has connected to `peer.server`.
    void add(Peer& peer);
    /// The connection is closed. The peer is not used any more.
    void forget(Peer& peer);
    void on_frame(Peer& peer, std::string frame);
    /// Handles the frames that have waited, because the peer was held up or had no room for answers.
    void handle_waiting_frames(Peer& peer);
    /// Whether the connection is held up: frames wait in both directions, because it is stalled or its server is paused.
    bool holds(const Peer& peer) const { return peer.stalled || ensemble_.is_paused(peer.server); }
    const std::list<Peer*>& peers() const { return peers_; }
    struct Traffic {
        std::int64_t received = 0;
        std::int64_t sent = 0;
    };
    /// The frames of the connections that have ended.
    const Traffic& traffic(std::size_t server) const { return traffic_.at(server); }
    std::size_t watch_count(std::size_t server) const { return watches_.at(server).size(); }

    // ---- faults
    void stop(std::size_t server);
    void pause(std::size_t server);
    void resume(std::size_t server);
    /// Returns false if the session has no connection.
    bool set_stalled(std::int64_t session, bool stalled);
    /// Closes all connections.
    void cut();
    /// Closes the session's connection. Returns false if there is none.
    bool cut(std::int64_t session);
    void heal();

    // ---- time
    /// The time is now `now`. Counts as heard all sessions whose connection is not held up, and then calls
    /// MemoryEnsemble::tick().
    void pass(Time now);

private:
    void connect(Peer& peer, std::string_view frame);
    void handle(Peer& peer, const std::string& frame);
    void go_on(Peer& peer);
    void answer(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader);
    void reply(Peer& peer, std::int32_t xid, const error_code& ec, std::string body = {});
    void refuse_body(Peer& peer, std::int32_t xid);
    void answer_create(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader);
    void answer_read(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader);
    void answer_multi(Peer& peer, std::int32_t xid, JuteReader& reader);
    void answer_auth(Peer& peer, std::int32_t xid, JuteReader& reader);
    void answer_watches(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader);
    void restore_watches(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader);
    void answer_ephemerals(Peer& peer, std::int32_t xid, JuteReader& reader);
    void answer_close(Peer& peer, std::int32_t xid);
    zk::Reply write(Peer& peer, const zk::Request& request);
    void on_change(std::size_t server, const detail::TreeChange& change);
    void send_event(Peer& peer, const std::string& path, WatchEventType type);
    void end_connections(std::int64_t session);
    void close_without_leader();
    void cut_server(std::size_t server);
    /// The peers that a function chooses, each still connected when it is returned.
    template <typename Choose> std::vector<Peer*> chosen(const Choose& choose) const;

    const std::function<Time()> now_;
    MemoryEnsemble ensemble_;
    MemoryFaults rules_;
    Counters counters_;
    std::list<Peer*> peers_; // in the order of their arrival
    std::vector<Watches> watches_;
    std::vector<Traffic> traffic_;
    std::vector<std::int64_t> paused_in_; // the epoch in which a server was paused
    Peer* closing_ = nullptr;             // the peer that has asked for the end of its session, and gets a reply
};

/// Returns a transaction's operations; nothing if the frame is no transaction.
std::optional<std::vector<zk::MultiOperation>> read_operations(JuteReader& reader, std::vector<std::int32_t>& opcodes);
/// Returns the request of a create in any of its forms; nothing if its mode is unknown.
std::optional<zk::CreateRequest> read_create(std::int32_t opcode, JuteReader& reader);

/// Answers a four-letter word.
std::string answer_word(const MemoryService& service, std::size_t server, std::string_view word);

} // namespace docent::testing
