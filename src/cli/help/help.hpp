// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

inline constexpr std::size_t page_width = 110;

/// The text for a command's name, for `options_topic`, or for the program if `topic` is empty.
std::string help_text(std::string_view topic);

/// docent(1), in roff.
std::string man_page(std::string_view version);

/// The scripts that complete docent's commands, options, values and nodes.
std::string bash_completion();
std::string zsh_completion();

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

/// A row of two columns. The left column is as wide as its widest text, but not wider than `limit`.
struct Row {
    std::string left;
    std::string right;
};
std::string as_columns(const std::vector<Row>& rows, std::size_t limit);

} // namespace docent::cli
