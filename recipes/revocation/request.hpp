// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests to release a lock, in the data of the holder's node. Pure.

#include "client/core/client_view.hpp"

#include <docent/client_config.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace docent::detail {

/// The request, as Curator writes it.
inline constexpr auto revocation_request = "__REVOKE__";

/// Whether the data is a request, compressed or not: Curator compresses it if it compresses all data. `docent revoke` keeps the
/// node's earlier data after the request and a line end.
bool is_revocation_request(const ClientConfig& config, const std::string& path, std::string data);

/// A user's function for requests to release a lock, and the executor that calls it. It gets the path of the lock's node. A
/// thread of docent may destroy it after the context of the executor, so the executor is no strand. Calls come one at a time by
/// a mutex, which an executor that a call runs may lock again.
class RevocationListener {
public:
    RevocationListener(std::function<void(const std::string& node_path)> function, asio::any_io_executor executor)
        : function_(std::move(function)), executor_(std::move(executor)) {}

    const asio::any_io_executor& executor() const { return executor_; }
    void call(const std::string& node_path) const {
        const std::lock_guard lock(calling_);
        function_(node_path);
    }

private:
    std::function<void(const std::string& node_path)> function_;
    asio::any_io_executor executor_;
    mutable std::recursive_mutex calling_;
};
using RevocationListenerPtr = std::shared_ptr<const RevocationListener>;

/// Returns null if the function is empty.
inline RevocationListenerPtr make_revocation_listener(const ClientView& view,
                                                      std::function<void(const std::string& node_path)> function,
                                                      const asio::any_io_executor& executor) {
    if (!function) return nullptr;
    return std::make_shared<RevocationListener>(std::move(function), executor ? executor : view.executor());
}

} // namespace docent::detail
