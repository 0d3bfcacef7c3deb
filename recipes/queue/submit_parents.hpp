// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "zk/parents.hpp"

#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

/// Sends the creates of a node's ancestors. `failed` becomes the first error, other than that they exist.
inline void submit_parents(ClientView& view, const std::string& node, const std::shared_ptr<error_code>& failed) {
    for (auto& request : zk::requests_for_parents(node, view.config().own_parents)) {
        view.submit(std::move(request), [failed](const zk::Reply& reply) {
            if (reply.ec && reply.ec != server_error::node_exists && !*failed) *failed = reply.ec;
        });
    }
}

} // namespace docent::detail
