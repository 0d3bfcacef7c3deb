// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "observers/text_builder.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace docent::explorer {

/// Sequence numbers of different containers are so far apart that a number shows its container.
constexpr std::int32_t numbers_apart = 100'000'000;
/// Begins a client's part of a picture.
constexpr char begin_of_client = '\f';

/// Writes the same text for states that differ only in names. Some numbers are only compared. Each of them is replaced by its
/// rank among the numbers that it may be compared with:
/// - sequence numbers (ten digits, and not a duration, "ns"): in the same container;
/// - transactions ("czxid 7"): of the same lock, which `lock_of` has for each transaction;
/// - guids ("_c_a2") and epochs ("epoch 2"): of the same client;
/// - sessions ("session 257"): only equality counts, so these are numbered in the order of the text.
void write_canonical(detail::TextBuilder& out, std::string_view text, const std::vector<int>& lock_of);

} // namespace docent::explorer
