// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/json.hpp"

#include "cli/nodes/node_commands.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <boost/json/serialize.hpp>
#include <boost/locale/utf.hpp>

#include <array>
#include <cstdio>

namespace docent::cli {
namespace {

namespace utf = boost::locale::utf;

std::string base64(std::string_view bytes) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto at = [&](std::size_t j) -> std::uint32_t {
            return j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0;
        };
        const std::uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
        out += alphabet[group >> 18];
        out += alphabet[group >> 12 & 63];
        out += i + 1 < bytes.size() ? alphabet[group >> 6 & 63] : '=';
        out += i + 2 < bytes.size() ? alphabet[group & 63] : '=';
    }
    return out;
}

} // namespace

Character first_character(std::string_view bytes) noexcept {
    const char* end = bytes.data();
    const auto code = utf::utf_traits<char>::decode(end, bytes.data() + bytes.size());
    const bool is_valid = code != utf::illegal && code != utf::incomplete;
    return is_valid ? Character{bytes.substr(0, static_cast<std::size_t>(end - bytes.data())), code}
                    : Character{bytes.substr(0, 1)};
}

bool is_utf8(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const Character first = first_character(bytes);
        if (!first.code) return false;
        bytes.remove_prefix(first.bytes.size());
    }
    return true;
}

json::string json_string(std::string_view text) {
    json::string out;
    while (!text.empty()) {
        const Character first = first_character(text);
        out += first.code ? first.bytes : std::string_view("\xef\xbf\xbd"); // U+FFFD
        text.remove_prefix(first.bytes.size());
    }
    return out;
}

json::array json_array(const std::vector<std::string>& texts) {
    json::array out;
    out.reserve(texts.size());
    for (const auto& text : texts) out.push_back(json_string(text));
    return out;
}

json::object::value_type json_data(std::string_view data) {
    if (is_utf8(data)) return json::object::value_type("data", json_string(data));
    return json::object::value_type("dataBase64", base64(data));
}

json::object json_stat(const Stat& stat) {
    json::object out;
    for (const auto& [name, value] : stat_fields(stat)) out.emplace(name, value);
    return out;
}

json::object json_participant(const Participant& one) {
    json::object out{{"recipe", to_string(one.recipe)},
                     {"kind", to_string(one.kind)},
                     {"position", one.position},
                     {"holds", one.holds},
                     {"path", json_string(one.node_path)}};
    out.insert(json_data(one.data));
    if (!one.owner.empty()) out.emplace("owner", json_string(one.owner));
    if (!one.readable) out.emplace("readable", false);
    out.emplace("session", session_text(one.session_id));
    out.emplace("fencingToken", one.fencing_token);
    out.emplace("created", one.created);
    return out;
}

std::string session_text(std::int64_t session) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(session));
    return text.data();
}

std::string as_word(const std::string& text) {
    const std::string quoted = serialized(json_string(text));
    const bool plain = !text.empty() && quoted.size() == text.size() + 2 && text.find(' ') == std::string::npos;
    return plain ? text : quoted;
}

std::string serialized(const json::value& value) {
    std::string text = json::serialize(value);
    boost::algorithm::replace_all(text, "\x7f", "\\u007f"); // JSON allows DEL, but a terminal should not get it
    return text;
}

} // namespace docent::cli
