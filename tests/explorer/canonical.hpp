// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace docent::explorer {

/// The same text for the same state under other names: transactions ("czxid 7"), sessions ("session 257"), sequence numbers
/// (ten digits, and no length of time, "ns") and guids ("_c_a2") are only ever compared, so that each number is replaced by its
/// place among its kind.
std::string canonical(const std::string& text);

} // namespace docent::explorer
