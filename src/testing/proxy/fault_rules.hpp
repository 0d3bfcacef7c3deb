// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/fault_proxy.hpp>

#include <array>
#include <map>
#include <optional>
#include <set>

namespace docent::testing {

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

} // namespace docent::testing
