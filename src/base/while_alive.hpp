// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace docent::detail {

/// A function that calls `function` while `owner` exists, and does nothing afterwards. The owner exists at least until the call
/// returns, so `function` may use `this` of the owner.
template <typename Owner, typename Function> auto while_alive(std::weak_ptr<Owner> owner, Function function) {
    return [owner = std::move(owner), function = std::move(function)](auto&&... arguments) {
        if (const auto alive = owner.lock()) function(std::forward<decltype(arguments)>(arguments)...);
    };
}

} // namespace docent::detail
