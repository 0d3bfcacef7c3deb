// SPDX-License-Identifier: Apache-2.0

// What servers were sent by connections that have broken, and do later.

#include "fake_client.hpp"

#include <docent/path.hpp>

#include <variant>

namespace docent::detail {

/// The session has moved, and what it has sent elsewhere is refused; unless it comes back to a server that stood still, with
/// requests that it has yet to pass on. Against that, only creates of recipes are safe (docs/proof.md).
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
