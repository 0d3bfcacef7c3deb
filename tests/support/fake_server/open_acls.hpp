// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <docent/acl.hpp>

#include <utility>
#include <variant>

namespace docent::detail {

/// Gives an open ACL to a request without one, as a client with the default configuration does.
inline zk::Request with_open_acls(zk::Request request) {
    const auto fill = [](auto& each) {
        if constexpr (requires { each.mode; }) each.acl = each.acl.empty() ? open_acl() : std::move(each.acl);
    };
    if (auto* multi = std::get_if<zk::MultiRequest>(&request)) {
        for (auto& operation : multi->operations) std::visit(fill, operation);
    }
    std::visit(fill, request);
    return request;
}

} // namespace docent::detail
