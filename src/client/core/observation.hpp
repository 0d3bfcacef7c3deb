// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <docent/call_options.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace docent::detail {

/// How a tracer knows a call; without a name it is not traced.
struct OperationName {
    std::string_view name = {}; // a literal
    std::string path = {};
};

/// What one call sees of the client, when that is not the client itself: its own retry policy, and requests that are counted.
class Observation {
public:
    virtual ~Observation() = default;
    virtual const std::shared_ptr<ClientView>& view() const = 0;
    virtual void on_completed(error_code ec) = 0;
};
/// Null if there is nothing to observe.
std::shared_ptr<Observation> observe(const std::shared_ptr<ClientView>& view, OperationName name, const CallOptions& call);

} // namespace docent::detail
