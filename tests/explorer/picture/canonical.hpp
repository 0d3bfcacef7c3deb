// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "observers/text_builder.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace docent::explorer {

/// Numbers of the children of different containers begin so far apart: which are compared with each other can be seen of them.
constexpr std::int32_t numbers_apart = 100'000'000;
/// Where a client's part of a picture begins.
constexpr char begin_of_client = '\f';

/// Writes the same text for the same state under other names. Some numbers are only ever compared: each is replaced by its
/// place among those that it may be compared with.
/// - sequence numbers (ten digits, and no length of time, "ns"): with those of the same container;
/// - transactions ("czxid 7"): with those of the same lock; `lock_of` says which one, by the number of the transaction;
/// - guids ("_c_a2") and epochs ("epoch 2"): with those of the same client;
/// - sessions ("session 257"): are the same or not, so that they are numbered as they come in the text.
void write_canonical(detail::TextBuilder& out, std::string_view text, const std::vector<int>& lock_of);

} // namespace docent::explorer
