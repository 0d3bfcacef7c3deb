// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/inspection.hpp>
#include <docent/stat.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

namespace json = boost::json;

/// The first character of a text in UTF-8. If the text does not begin with a valid character: its first byte, without a code.
struct Character {
    std::string_view bytes;
    std::optional<std::uint32_t> code = {};
};
/// `bytes` is not empty.
Character first_character(std::string_view bytes) noexcept;

/// Whether the bytes are UTF-8 (RFC 3629).
bool is_utf8(std::string_view bytes) noexcept;

/// Makes a string. Bytes that are not UTF-8 become U+FFFD, so that the result is valid JSON.
json::string json_string(std::string_view text);

json::array json_array(const std::vector<std::string>& texts);

/// A node's data: `data` with text, or `dataBase64` if the bytes are not UTF-8.
json::object::value_type json_data(std::string_view data);

/// An object with the field names of Java's Stat.
json::object json_stat(const Stat& stat);

json::object json_participant(const Participant& one);

/// A session id in ZooKeeper's form, as in 0x1000124d8880001.
std::string session_text(std::int64_t session);

/// A text as one word of a line, quoted if necessary. It never contains a line end.
std::string as_word(const std::string& text);

/// The value in one line, without a line end and without control characters.
std::string serialized(const json::value& value);

} // namespace docent::cli
