// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/listeners.hpp"
#include "client/core/client_view.hpp"

#include <boost/asio/execution_context.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace docent::detail {

namespace asio = boost::asio;

class ClientRuntime;

/// Tells the clients on a context's executor when the context is destroyed. Otherwise their operations would never end, and
/// would leak. An `io_context` may be destroyed while its clients have operations under way, as with Asio's own objects.
class ContextEnd final : public asio::execution_context::service {
public:
    static asio::execution_context::id id;

    explicit ContextEnd(asio::execution_context& context) : service(context) {}
    /// From any thread.
    void add(std::weak_ptr<ClientRuntime> client);

private:
    void shutdown() noexcept override;

    std::mutex mutex_;
    WeakList<ClientRuntime> clients_;
};

/// Posts `function` to the strand when the last copy of the returned registration is destroyed, on any thread. For objects
/// whose destruction ends their work. Without memory, the work continues until the client is closed.
inline Registration post_at_end(std::shared_ptr<ClientView> view, std::function<void()> function) {
    auto* const object = view.get();
    return {object, [view = std::move(view), function = std::move(function)](void*) mutable noexcept {
                try {
                    view->post(std::move(function));
                } catch (...) {
                }
                view.reset();
            }};
}

} // namespace docent::detail
