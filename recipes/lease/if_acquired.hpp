// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>

#include <optional>
#include <utility>

namespace docent::detail {

/// The result of a try: `not_acquired` is an empty result, and not an error.
template <typename Result> std::optional<Result> if_acquired(Result result, error_code& ec) {
    if (ec == error::not_acquired) ec = {};
    else if (!ec) return result;
    return std::nullopt;
}

} // namespace docent::detail
