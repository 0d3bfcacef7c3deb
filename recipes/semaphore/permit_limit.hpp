// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "shared/shared_value_core.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace docent::detail {

/// The number of permits of a semaphore. Members may be called from any thread.
class PermitLimit {
public:
    virtual ~PermitLimit() = default;

    /// Errors: `error::corrupt_data`; `error::not_started` or `server_error::invalid_state` if the number is not known yet.
    virtual std::int32_t now(error_code& ec) const = 0;
    /// Whether the number never changes.
    virtual bool is_fixed() const = 0;
    /// Calls `listener` on the client's strand with the present limit and after each change, until the registration is dropped.
    virtual Registration follow(const ClientView& view, std::function<void(std::int32_t)> listener) const = 0;
};

std::shared_ptr<const PermitLimit> fixed_limit(std::int32_t limit);
/// A limit from a SharedCount.
std::shared_ptr<const PermitLimit> shared_limit(std::shared_ptr<SharedValueCore> count);

} // namespace docent::detail
