// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/execution_context.hpp>

#include <memory>
#include <mutex>
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
    std::vector<std::weak_ptr<ClientRuntime>> clients_;
};

} // namespace docent::detail
