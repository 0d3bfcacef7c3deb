// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

inline constexpr std::size_t page_width = 110;

/// A paragraph of running text, or lines that are shown as they are.
struct Paragraph {
    bool verbatim;
    std::string text; // running text has no line ends
    friend bool operator==(const Paragraph&, const Paragraph&) = default;
};

/// Takes a text of the command table apart.
std::vector<Paragraph> paragraphs_of(std::string_view text);

/// Running text in lines of at most `width` where words allow it.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// All paragraphs, wrapped, each followed by an empty line.
std::string as_page(std::string_view text);

/// Two columns; the left one is as wide as its widest text, but no more than `limit`.
struct Row {
    std::string left;
    std::string right;
};
std::string as_columns(const std::vector<Row>& rows, std::size_t limit);

} // namespace docent::cli
