// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules for faults of a MemoryServer.

#include <docent/testing/fault_proxy.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace docent::testing {

/// The form of set_watches that also has persistent watches.
inline constexpr std::int32_t op_set_watches2 = 105;

/// Returns whether a request with this number on the wire is of this kind. All forms of a create are creates, both forms of a
/// list of children are lists, and so are both forms of set_watches.
bool is_of_kind(std::int32_t opcode, Opcode kind);

/// Each rule acts once. Used by one thread.
class MemoryFaults {
public:
    enum class Loss { none, request, reply };
    struct Action {
        Loss loss = Loss::none;
        std::size_t rules = 0; // how many rules act
    };

    void lose(Opcode kind, Loss what, std::size_t number) { losses_.push_back({kind, what, number}); }
    void drop_event(std::size_t number) { dropped_events_.push_back(number); }
    /// Each rule for this kind counts the request. The loss of a request comes before the loss of its reply.
    Action next_request(std::int32_t opcode);
    /// Returns the number of rules that drop this event.
    std::size_t next_event();
    void clear();

private:
    struct Rule {
        Opcode kind;
        Loss what;
        std::size_t left;
    };
    std::vector<Rule> losses_;
    std::vector<std::size_t> dropped_events_; // by rule: the events that are left until the rule drops one
};

} // namespace docent::testing
