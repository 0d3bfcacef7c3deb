// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

inline constexpr std::size_t page_width = 110;

/// A paragraph of running text, or lines that are shown unchanged.
struct Paragraph {
    bool verbatim;
    std::string text; // running text has no line ends
    friend bool operator==(const Paragraph&, const Paragraph&) = default;
};

/// Splits a text of the command table into paragraphs.
std::vector<Paragraph> paragraphs_of(std::string_view text);

/// Wraps running text into lines of at most `width` characters, unless a word is longer.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// All paragraphs, wrapped, each followed by an empty line.
std::string as_page(std::string_view text);

/// A row of two columns. The left column is as wide as its widest text, but not wider than `limit`.
struct Row {
    std::string left;
    std::string right;
};
std::string as_columns(const std::vector<Row>& rows, std::size_t limit);

} // namespace docent::cli
