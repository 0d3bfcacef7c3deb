// SPDX-License-Identifier: Apache-2.0

#include "client/core/context_end.hpp"
#include "client/core/client_runtime.hpp"

#include <utility>

namespace docent::detail {

asio::execution_context::id ContextEnd::id;

void ContextEnd::add(std::weak_ptr<ClientRuntime> client) {
    const std::lock_guard lock(mutex_);
    std::erase_if(clients_, [](const auto& weak) { return weak.expired(); });
    clients_.push_back(std::move(client));
}

/// No thread runs the context any more, and its services still exist.
void ContextEnd::shutdown() noexcept {
    for (const auto& weak : std::exchange(clients_, {})) {
        if (const auto client = weak.lock()) client->on_context_end();
    }
}

} // namespace docent::detail
