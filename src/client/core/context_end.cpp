// SPDX-License-Identifier: Apache-2.0

#include "client/core/context_end.hpp"
#include "client/core/client_runtime.hpp"

#include <utility>

namespace docent::detail {

asio::execution_context::id ContextEnd::id;

void ContextEnd::add(std::weak_ptr<ClientRuntime> client) {
    const std::lock_guard lock(mutex_);
    clients_.add(std::move(client));
}

/// No thread runs the context any more, and its services still exist.
void ContextEnd::shutdown() noexcept {
    auto clients = std::exchange(clients_, {});
    clients.for_each([](ClientRuntime& client) { client.on_context_end(); });
}

} // namespace docent::detail
