// SPDX-License-Identifier: Apache-2.0
#pragma once

// Gives access to the implementation of public objects. It is null for empty objects, and for objects that were moved from.

#include <docent/client.hpp>

#include <memory>
#include <string>

namespace docent::detail {

struct Access {
    static const ClientViewPtr& view(const Client& client) noexcept { return client.view_; }
    /// The view, for objects that need one. Throws Error: `error::closed`, `error::other_process`.
    static const ClientViewPtr& open_view(const Client& client, const char* what) {
        if (!client.view_) throw Error(error::closed, std::string(what) + " of a client that was moved from");
        if (client.view_.is_foreign()) throw Error(error::other_process, what);
        return client.view_;
    }
    static const auto& core(const auto& object) noexcept { return shared(object.core_); }
    static const auto& source(const auto& member) noexcept { return shared(member.source_); }

private:
    template <typename T> static const std::shared_ptr<T>& shared(const std::shared_ptr<T>& pointer) noexcept {
        return pointer;
    }
};

} // namespace docent::detail
