// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>

#include <optional>
#include <utility>

namespace docent::detail {

/// What a try says: that it was not acquired is an answer, not an error.
template <typename Result> std::optional<Result> if_acquired(Result result, error_code& ec) {
    if (ec == error::not_acquired) ec = {};
    else if (!ec) return result;
    return std::nullopt;
}

} // namespace docent::detail
