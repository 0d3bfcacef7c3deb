// SPDX-License-Identifier: Apache-2.0
#include "canonical.hpp"

#include <cctype>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::explorer {
namespace {

/// A number in the text that is a name for something.
struct Token {
    std::string kind; // numbers of one kind are compared with each other
    std::uint64_t value = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The kind of the number that begins at `at`; empty if it is just a number.
std::string kind_at(std::string_view text, std::size_t at, std::size_t end) {
    constexpr std::size_t sequence_digits = 10;
    const auto before = text.substr(0, at);
    if (before.ends_with("czxid ")) return "z";
    if (before.ends_with("session ")) return "s";
    if (end - at == sequence_digits) return "n";
    const bool is_guid = at >= 4 && before.substr(at - 4, 3) == "_c_";
    return is_guid ? std::string("g") + before.back() : std::string{};
}

std::vector<Token> tokens_of(std::string_view text) {
    std::vector<Token> tokens;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_digit(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (auto kind = kind_at(text, at, end); !kind.empty()) {
            Token token{std::move(kind), 0, at, end};
            std::from_chars(text.data() + at, text.data() + end, token.value);
            tokens.push_back(std::move(token));
        }
        at = end;
    }
    return tokens;
}

} // namespace

std::string canonical(const std::string& text) {
    const auto tokens = tokens_of(text);
    std::map<std::string, std::map<std::uint64_t, std::size_t>> ranks;
    for (const auto& token : tokens) ranks[token.kind][token.value];
    for (auto& [kind, values] : ranks) {
        std::size_t rank = 1;
        for (auto& [value, place] : values) place = value == 0 && kind != "n" ? 0 : rank++;
    }
    std::string result;
    std::size_t done = 0;
    for (const auto& token : tokens) {
        result.append(text, done, token.begin - done);
        result += '#' + std::to_string(ranks[token.kind][token.value]);
        done = token.end;
    }
    return result.append(text, done);
}

} // namespace docent::explorer
