// SPDX-License-Identifier: Apache-2.0
#include "names/owner.hpp"

#include <docent/recipes/inspection.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace docent {
namespace detail {
namespace {

constexpr std::size_t longest_owner = 200;
constexpr std::string_view title = "\ndocent-owner: "; // always begins a new line

} // namespace

bool is_owner(std::string_view text) noexcept {
    const auto is_graphic = [](char c) { return c > 0x20 && c < 0x7f; };
    return !text.empty() && text.size() <= longest_owner && std::all_of(text.begin(), text.end(), is_graphic);
}

std::string with_owner(std::string data, std::string_view owner) {
    data += title;
    data += owner;
    return data;
}

} // namespace detail

OwnedData split_owner(std::string data) {
    const std::size_t longest_line = detail::title.size() + detail::longest_owner;
    const std::size_t from = data.size() - std::min(data.size(), longest_line);
    const std::size_t found = std::string_view(data).substr(from).rfind(detail::title);
    if (found == std::string_view::npos) return {std::move(data)};
    std::string owner = data.substr(from + found + detail::title.size());
    if (!detail::is_owner(owner)) return {std::move(data)};
    data.resize(from + found);
    return {std::move(data), std::move(owner)};
}

} // namespace docent
