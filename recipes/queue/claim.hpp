// SPDX-License-Identifier: Apache-2.0
#pragma once

// A place in a queue, or an attempt to get one. It is bound to a session.

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
    std::int64_t czxid = 0; // 0: the node was found by its GUID and was not read yet
    bool in_flight = false; // a create is under way
    bool in_doubt = false;  // the reply to a create was lost, and the node was not searched yet

    Claim(std::string guid, const SessionEvent& session)
        : epoch(session.epoch), session_id(session.session_id), text_(std::move(guid)), guid_size_(text_.size()) {}

    bool named() const { return named_; }
    bool may_exist() const { return named() || in_flight || in_doubt; }
    std::string_view guid() const {
        const std::string_view text = text_;
        return named_ ? text.substr(std::min(protection_mark.size(), text.size()), guid_size_) : text;
    }
    /// The name of the node; empty until it is known.
    std::string_view name() const { return named_ ? std::string_view(text_) : std::string_view(); }
    /// `name` must contain the GUID.
    void set_name(std::string name) {
        text_ = std::move(name);
        named_ = true;
    }

private:
    std::string text_; // the GUID, and later the name, which contains it: to save memory
    std::size_t guid_size_;
    bool named_ = false;
};

} // namespace docent::detail
