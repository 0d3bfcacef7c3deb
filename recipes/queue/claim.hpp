// SPDX-License-Identifier: Apache-2.0
#pragma once

// A place in a queue, or the attempt to get one: bound to the session in which it was made.

#include <docent/session_event.hpp>

#include <cstdint>
#include <string>

namespace docent::detail {

struct Claim {
    std::string guid;
    std::uint64_t epoch = 0;
    std::int64_t session_id = 0;
    std::string name = {};  // of our node, once we know it
    std::int64_t czxid = 0; // 0: the node was found by its guid and not looked at yet
    bool in_flight = false; // a create is on its way
    bool in_doubt = false;  // the reply of a create was lost, and not looked for yet

    Claim(std::string g, const SessionEvent& session)
        : guid(std::move(g)), epoch(session.epoch), session_id(session.session_id) {}

    bool named() const { return !name.empty(); }
    bool may_exist() const { return named() || in_flight || in_doubt; }
};

} // namespace docent::detail
