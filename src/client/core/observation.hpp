// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <docent/call_options.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace docent::detail {

/// A call's name and path for a tracer. A call without a name is not traced.
struct OperationName {
    std::string_view name = {}; // a literal
    std::string path = {};
};

/// The view of a single call, with its own retry policy and with counted requests.
class Observation {
public:
    virtual ~Observation() = default;
    virtual const std::shared_ptr<ClientView>& view() const = 0;
    virtual void on_completed(error_code ec) = 0;
};
/// Returns null if the call needs no observation.
std::shared_ptr<Observation> observe(const std::shared_ptr<ClientView>& view, OperationName name, const CallOptions& call);

} // namespace docent::detail
