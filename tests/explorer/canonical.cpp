// SPDX-License-Identifier: Apache-2.0
#include "canonical.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::explorer {
namespace {

/// What a number in the text is the name of: numbers of one kind are compared with each other.
enum NumberKind : int {
    no_name,
    of_zxid,
    of_session,
    of_sequence,
    of_guid
}; // of_guid: one kind for each letter, which is the client's

/// A number in the text that is a name for something.
struct Token {
    int kind;
    std::uint64_t value;
    std::size_t begin;
    std::size_t end;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int kind_at(std::string_view text, std::size_t at, std::size_t end) {
    constexpr std::size_t sequence_digits = 10;
    const auto before = text.substr(0, at);
    if (before.ends_with("czxid ")) return of_zxid;
    if (before.ends_with("session ")) return of_session;
    if (end - at == sequence_digits && !text.substr(end).starts_with("ns")) return of_sequence;
    const bool is_guid = at >= 4 && before.substr(at - 4, 3) == "_c_";
    return is_guid ? of_guid + static_cast<unsigned char>(before.back()) : no_name;
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
        if (const int kind = kind_at(text, at, end); kind != no_name) {
            Token token{kind, 0, at, end};
            std::from_chars(text.data() + at, text.data() + end, token.value);
            tokens.push_back(token);
        }
        at = end;
    }
    return tokens;
}

using NumberName = std::pair<int, std::uint64_t>;

/// All that are named, each once, in order.
std::vector<NumberName> names_in(const std::vector<Token>& tokens) {
    std::vector<NumberName> names;
    names.reserve(tokens.size());
    for (const auto& token : tokens) names.emplace_back(token.kind, token.value);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

/// The place of a name among its kind; 0 for none.
std::ptrdiff_t rank_in(const std::vector<NumberName>& names, const Token& token) {
    const auto first = std::lower_bound(names.begin(), names.end(), NumberName{token.kind, 0});
    const bool has_none = first != names.end() && *first == NumberName{token.kind, 0} && token.kind != of_sequence;
    const auto found = std::lower_bound(first, names.end(), NumberName{token.kind, token.value});
    return found - first + (has_none ? 0 : 1);
}

} // namespace

std::string canonical(const std::string& text) {
    const auto tokens = tokens_of(text);
    const auto names = names_in(tokens);
    std::string result;
    result.reserve(text.size());
    std::size_t done = 0;
    for (const auto& token : tokens) {
        result.append(text, done, token.begin - done);
        result += '#';
        result += std::to_string(rank_in(names, token));
        done = token.end;
    }
    return result.append(text, done);
}

} // namespace docent::explorer
