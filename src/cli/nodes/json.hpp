// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/stat.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// Whether these bytes are UTF-8, as RFC 3629 has it.
bool is_utf8(std::string_view bytes) noexcept;

/// A JSON string. Bytes that are no UTF-8 become U+FFFD, so that the result is always valid JSON.
std::string json_string(std::string_view text);

/// `["a","b"]`
std::string json_array(const std::vector<std::string>& texts);

/// The members of an object that carry a node's data, whatever its bytes: `"data":"text"`, or `"dataBase64":"..."` if it is no
/// UTF-8.
std::string json_data_member(std::string_view data);

/// An object with the names that Java's Stat has.
std::string json_stat(const Stat& stat);

} // namespace docent::cli
