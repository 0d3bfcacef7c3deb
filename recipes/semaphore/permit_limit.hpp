// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "shared/shared_value_core.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace docent::detail {

/// How many permits there are. Members are called from any thread.
class PermitLimit {
public:
    virtual ~PermitLimit() = default;

    /// Errors: `error::corrupt_data`; if it is not known yet, `error::not_started` or `server_error::invalid_state`.
    virtual std::int32_t now(error_code& ec) const = 0;
    /// Whether it stays what it is.
    virtual bool is_fixed() const = 0;
    /// Tells the strand of this client of the limit now and of every change, until the registration is dropped.
    virtual Registration follow(const ClientView& view, std::function<void(std::int32_t)> listener) const = 0;
};

std::shared_ptr<const PermitLimit> fixed_limit(std::int32_t limit);
/// What a SharedCount says, as long as it is followed.
std::shared_ptr<const PermitLimit> shared_limit(std::shared_ptr<SharedValueCore> count);

} // namespace docent::detail
