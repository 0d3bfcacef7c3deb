// SPDX-License-Identifier: Apache-2.0

#include "names/node_name.hpp"
#include "base/protection.hpp"

#include <docent/error.hpp>
#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/revocation.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace docent::detail {
namespace {

constexpr std::size_t number_digits = 10;
constexpr std::size_t longest_owner = 200;
constexpr std::string_view title_of_owner = "\ndocent-owner: "; // always begins a new line

/// Parses a number, with its sign if it has one.
std::optional<std::int32_t> parse_number(std::string_view text) {
    const bool negative = text.front() == '-';
    std::int64_t number = 0;
    for (const char c : number_text(text)) {
        if (c < '0' || c > '9') return std::nullopt;
        number = 10 * number + (c - '0');
    }
    if (negative) number = -number;
    const bool given =
        number >= std::numeric_limits<std::int32_t>::min() && number <= last_number && !(negative && number == 0);
    return given ? std::optional(static_cast<std::int32_t>(number)) : std::nullopt; // servers give no other numbers
}

const QueueToken* token_at_end(std::span<const QueueToken> tokens, std::string_view text) {
    const auto found =
        std::find_if(tokens.begin(), tokens.end(), [&](const QueueToken& token) { return text.ends_with(token.text); });
    return found == tokens.end() ? nullptr : &*found;
}

/// The index of the number in a name that ends with ten digits.
std::size_t number_at(const QueueNames& names, std::string_view name) {
    const std::size_t digits_at = name.size() - number_digits;
    const auto ends_at = [&](std::size_t end) {
        const auto text = name.substr(0, end);
        return token_at_end(names.tokens(), text) || token_at_end(names.other_tokens(), text);
    };
    const bool negative = digits_at > 0 && name[digits_at - 1] == '-' && !ends_at(digits_at) && ends_at(digits_at - 1);
    return negative ? digits_at - 1 : digits_at;
}

/// The GUID in the text in front of a token.
std::optional<std::string_view> parse_protection(std::string_view text) {
    if (text.empty()) return text;
    if (!text.starts_with(protection_mark) || !text.ends_with(protection_end)) return std::nullopt;
    if (text.size() <= protection_mark.size() + protection_end.size()) return std::nullopt;
    text.remove_prefix(protection_mark.size());
    text.remove_suffix(protection_end.size());
    return text;
}

} // namespace

QueueNames QueueNames::beside(OtherNamesPtr others) const {
    QueueNames result = *this;
    result.others_ = std::move(others);
    return result;
}

std::span<const QueueToken> QueueNames::other_tokens() const {
    return others_ ? std::span(others_->tokens) : std::span<const QueueToken>();
}

std::string_view number_text(std::string_view name) {
    return name.substr(name.size() - std::min(name.size(), number_digits));
}

std::string_view plain_number_text(const QueueNames& names, std::string_view name) {
    const auto number = number_text(name);
    name.remove_suffix(number.size());
    return number.size() == number_digits && token_at_end(names.tokens(), name) ? number : std::string_view();
}

std::optional<NodeName> parse_node_name(const QueueNames& names, std::string_view name) {
    if (name.size() < number_digits) return std::nullopt;
    const std::size_t digits_at = name.size() - number_digits;
    const auto* token = token_at_end(names.tokens(), name.substr(0, digits_at)); // first, because most names have one
    const std::size_t at = token != nullptr ? digits_at : number_at(names, name);
    const auto number = parse_number(name.substr(at));
    if (!number) return std::nullopt;
    name = name.substr(0, at);
    if (token == nullptr) token = token_at_end(names.tokens(), name);
    if (token != nullptr) { // no token of docent ends with another token
        const auto guid = parse_protection(name.substr(0, name.size() - token->text.size()));
        if (guid) return NodeName{*guid, *token, *number};
    }
    const auto* other = token_at_end(names.other_tokens(), name);
    return other ? std::optional(NodeName{{}, *other, *number}) : std::nullopt;
}

bool has_other_locks(const QueueNames& own, const std::vector<std::string>& children) {
    for (const std::string& child : children) {
        if (child == leases_name) return true; // a semaphore; its gate may be missing while permits are held
        if (parse_node_name(own, child)) continue;
        if (parse_node_name(names_of_all_locks(), child) || parse_node_name(latch_names(), child)) return true;
    }
    return false;
}

OtherNamesPtr make_other_names(OtherContenders contenders, std::string_view path) {
    if (contenders == OtherContenders{}) return nullptr;
    auto names = std::make_shared<OtherNames>(OtherNames{std::move(contenders)});
    auto& tokens = names->tokens;
    for (const auto& text : names->contenders.exclusive) tokens.push_back({text, ContenderKind::exclusive});
    for (const auto& text : names->contenders.shared) tokens.push_back({text, ContenderKind::shared});
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const QueueToken& a, const QueueToken& b) { return a.text.size() > b.text.size(); });
    for (const QueueToken& token : tokens) {
        if (token.text.empty() || token.text.find('/') != std::string_view::npos) {
            throw Error(server_error::bad_arguments, "lock " + std::string(path) + ": '" + std::string(token.text) +
                                                         "' cannot be a token: it must not be empty or contain '/'");
        }
    }
    return names;
}

bool is_owner(std::string_view text) noexcept {
    const auto is_graphic = [](char c) { return c > 0x20 && c < 0x7f; };
    return !text.empty() && text.size() <= longest_owner && std::all_of(text.begin(), text.end(), is_graphic);
}

std::string with_owner(std::string data, std::string_view owner) {
    data += title_of_owner;
    data += owner;
    return data;
}

} // namespace docent::detail

namespace docent {

bool is_lock_node(std::string_view path) noexcept {
    return detail::parse_node_name(detail::names_of_all_locks(), node_name(path)).has_value();
}

OwnedData split_owner(std::string data) {
    const std::size_t longest_line = detail::title_of_owner.size() + detail::longest_owner;
    const std::size_t from = data.size() - std::min(data.size(), longest_line);
    const std::size_t found = std::string_view(data).substr(from).rfind(detail::title_of_owner);
    if (found == std::string_view::npos) return {std::move(data)};
    std::string owner = data.substr(from + found + detail::title_of_owner.size());
    if (!detail::is_owner(owner)) return {std::move(data)};
    data.resize(from + found);
    return {std::move(data), std::move(owner)};
}

} // namespace docent
