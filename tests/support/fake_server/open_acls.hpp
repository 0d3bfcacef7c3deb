// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <docent/acl.hpp>

#include <utility>
#include <variant>

namespace docent::detail {

/// What has no ACL gets one by which everybody may do everything, as a client does whose configuration says nothing else.
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
