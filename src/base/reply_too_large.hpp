// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>

#include <cstddef>

namespace docent::detail {

/// The client does not read longer answers. A list of a million children has about this size.
inline constexpr std::size_t longest_answer = 64U << 20U;

/// Returns `error::reply_too_large` with a message that names the size of the answer. All such codes are equal. If `size`
/// is at most `longest_answer`, the message says that the answer takes too long to arrive.
error_code reply_too_large(std::size_t size);

} // namespace docent::detail
