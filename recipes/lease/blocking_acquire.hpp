// SPDX-License-Identifier: Apache-2.0
#pragma once

// The blocking acquires of all locks, for the functions that BlockingLock calls.

#include "client/core/blocking.hpp"

#include <docent/detail/deadline.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace docent::detail {

/// The name of the public call with this kind of wait, for the text of an error.
inline std::string_view name_of_acquire(const AcquireWait& wait) {
    switch (wait.kind) {
    case AcquireWait::Kind::forever: break;
    case AcquireWait::Kind::until: return "try_acquire_for";
    case AcquireWait::Kind::not_at_all: return "try_acquire";
    }
    return "acquire";
}

/// Runs initiate_acquire() with these arguments, and waits for its handler. See block_on().
template <typename Held, typename Core, typename... Count>
Held block_on_initiated(const std::shared_ptr<Core>& core, AcquireWait wait, CallOptions call, error_code& ec, Count... count) {
    return block_on<Held>(
        *core->view(), std::move(call), ec,
        [&](CallOptions options, Handler<Held> handler) {
            initiate_acquire(core, count..., wait, std::move(options), std::move(handler));
        },
        wait);
}

} // namespace docent::detail
