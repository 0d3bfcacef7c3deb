// SPDX-License-Identifier: Apache-2.0

// Requests that servers received on connections that have broken, and carry out later.

#include "fake_client.hpp"

#include <docent/path.hpp>

#include <variant>

namespace docent::detail {

/// The session has moved, so its requests at the old server are refused. Exception: the session returns to a server that stood
/// still with requests that it has not passed on. Only creates of recipes are safe then (docs/proof.md).
void FakeClient::leave_strays() {
    const auto is_recipes = [this](const zk::Request& request) {
        return std::holds_alternative<zk::CreateRequest>(request) && !own_guid(node_name(zk::path_of(request))).empty();
    };
    std::erase_if(strays_, [&](const zk::Request& request) { return !is_recipes(request); });
    if (world_.choose || strays_.empty() || world_.chance(0.5)) strays_.clear();
}

void FakeClient::apply_stray() {
    world_.ensemble.apply(session_id_, strays_.front());
    strays_.pop_front();
}

} // namespace docent::detail
