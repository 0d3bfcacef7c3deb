// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is behind the face of public objects; null, where they were moved from or hold nothing.

#include <docent/client.hpp>

#include <string>

namespace docent::detail {

struct Access {
    static const ClientViewPtr& view(const Client& client) noexcept { return client.view_; }
    /// For what cannot be made without one. Throws Error(error::closed).
    static const ClientViewPtr& open_view(const Client& client, const char* what) {
        if (!client.view_) throw Error(error::closed, std::string(what) + " of a client that was moved from");
        return client.view_;
    }
    static const auto& core(const auto& object) noexcept { return object.core_; }
    static const auto& source(const auto& member) noexcept { return member.source_; }
};

} // namespace docent::detail
