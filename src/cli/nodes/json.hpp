// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/inspection.hpp>
#include <docent/stat.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

namespace json = boost::json;

/// Whether these bytes are UTF-8, as RFC 3629 has it.
bool is_utf8(std::string_view bytes) noexcept;

/// A string. Bytes that are no UTF-8 become U+FFFD, so that the result is always valid JSON.
json::string json_string(std::string_view text);

json::array json_array(const std::vector<std::string>& texts);

/// A node's data, whatever its bytes: `data` with text, or `dataBase64` if they are no UTF-8.
json::object::value_type json_data(std::string_view data);

/// An object with the names that Java's Stat has.
json::object json_stat(const Stat& stat);

json::object json_participant(const Participant& one);

/// As ZooKeeper prints sessions.
std::string session_text(std::int64_t session);

/// A word of a line, in quotes where it would not be one; whatever bytes a text has, it cannot begin another line.
std::string as_word(const std::string& text);

/// In one line, without its end, and with no byte that a terminal would not show.
std::string serialized(const json::value& value);

} // namespace docent::cli
