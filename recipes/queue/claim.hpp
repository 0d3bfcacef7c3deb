// SPDX-License-Identifier: Apache-2.0
#pragma once

// A place in a queue, or the attempt to get one: bound to the session in which it was made.

#include "base/protection.hpp"

#include <docent/session_event.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace docent::detail {

class Claim {
public:
    std::uint64_t epoch = 0;
    std::int64_t session_id = 0;
    std::int64_t czxid = 0; // 0: the node was found by its guid and not looked at yet
    bool in_flight = false; // a create is on its way
    bool in_doubt = false;  // the reply of a create was lost, and not looked for yet

    Claim(std::string guid, const SessionEvent& session)
        : epoch(session.epoch), session_id(session.session_id), text_(std::move(guid)), guid_size_(text_.size()) {}

    bool named() const { return named_; }
    bool may_exist() const { return named() || in_flight || in_doubt; }
    std::string_view guid() const {
        const std::string_view text = text_;
        return named_ ? text.substr(std::min(protection_mark.size(), text.size()), guid_size_) : text;
    }
    /// Of our node; empty until we know it.
    std::string_view name() const { return named_ ? std::string_view(text_) : std::string_view(); }
    /// Protected by our guid.
    void set_name(std::string name) {
        text_ = std::move(name);
        named_ = true;
    }

private:
    std::string text_; // the guid, and then the name, which has it: a waiter keeps it once
    std::size_t guid_size_;
    bool named_ = false;
};

} // namespace docent::detail
