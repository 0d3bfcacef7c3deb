// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/proxy/frame_parser.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace docent::testing {

/// The outstanding requests of one connection, as the proxy sees them.
class Exchange {
public:
    /// The head of a request; empty for the first frame, and for bytes that are not a request.
    std::optional<RequestHead> read_request(const Piece& piece);
    /// The request is forwarded. `awaited`: a rule waits for its reply.
    void expect_reply(const RequestHead& request, bool awaited);
    /// Takes a piece from the server. Returns whether it is an awaited reply.
    bool is_awaited_reply(const Piece& piece);
    /// No reply is awaited any more.
    void await_none();

private:
    struct Pending {
        std::int32_t xid;
        bool awaited;
    };
    bool connect_request_seen_ = false;
    bool connect_response_seen_ = false;
    std::deque<Pending> pending_; // in the order sent; pings, for example, share their xid
};

/// The rules of a FaultProxy for all its connections. Values only. Used by one thread.
class FaultRules {
public:
    bool refuses = false;

    void hold(Direction direction) { of(direction).held = true; }
    bool holds(Direction direction) const { return of(direction).held; }

    void delay(Direction direction, std::chrono::milliseconds time) { of(direction).delay = time; }
    std::chrono::milliseconds delay(Direction direction) const { return of(direction).delay; }

    void cut_after(Direction direction, std::size_t bytes) { of(direction).bytes_left = bytes; }
    /// The number of bytes, of `wanted`, to forward before the connection is cut. Empty: all, and the connection is not cut.
    std::optional<std::size_t> take_bytes(Direction direction, std::size_t wanted);

    void cut_before_request(Opcode opcode) { request_cuts_.insert(opcode); }
    void cut_before_reply(Opcode opcode) { reply_cuts_.insert(opcode); }
    /// Whether to cut before this request. Each rule applies once.
    bool take_request_cut(Opcode opcode) { return take(request_cuts_, opcode); }
    bool take_reply_cut(Opcode opcode) { return take(reply_cuts_, opcode); }

    void on_forwarded(Opcode opcode, std::function<void()> action) { actions_[opcode] = std::move(action); }
    /// A copy of the action, because it may change the rules; empty without one.
    std::function<void()> action(Opcode opcode) const;

private:
    struct Way {
        bool held = false;
        std::chrono::milliseconds delay{0};
        std::optional<std::size_t> bytes_left = std::nullopt;
    };
    Way& of(Direction direction) { return ways_[static_cast<std::size_t>(direction)]; }
    const Way& of(Direction direction) const { return ways_[static_cast<std::size_t>(direction)]; }
    static bool take(std::multiset<Opcode>& rules, Opcode opcode);

    std::array<Way, 2> ways_;
    std::multiset<Opcode> request_cuts_;
    std::multiset<Opcode> reply_cuts_;
    std::map<Opcode, std::function<void()>> actions_;
};

/// The counters of a FaultProxy. Its thread writes them; any thread may read them and wait for them.
class ProxyCounters {
public:
    void add_connection();
    void add_request(Opcode opcode);
    void add_cut();

    std::size_t connections() const;
    std::size_t requests(Opcode opcode) const;
    bool wait_cuts(std::size_t count, std::chrono::milliseconds timeout) const;

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::size_t connections_ = 0;
    std::size_t cuts_ = 0;
    std::map<Opcode, std::size_t> requests_;
};

} // namespace docent::testing
