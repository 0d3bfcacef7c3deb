// SPDX-License-Identifier: Apache-2.0
#include "cli/help/layout.hpp"

#include <algorithm>
#include <sstream>

namespace docent::cli {

std::vector<Paragraph> paragraphs_of(std::string_view text) {
    std::vector<Paragraph> result;
    std::istringstream lines{std::string(text)};
    bool open = false;
    for (std::string line; std::getline(lines, line);) {
        const bool verbatim = line.starts_with("  ");
        if (line.empty()) {
            open = false;
        } else if (open && result.back().verbatim == verbatim) {
            result.back().text += (verbatim ? "\n" : " ") + line;
        } else {
            result.push_back({verbatim, line});
            open = true;
        }
    }
    return result;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
        if (!lines.empty() && lines.back().size() + 1 + word.size() <= width) lines.back() += " " + word;
        else lines.push_back(word);
    }
    return lines;
}

std::string as_page(std::string_view text) {
    std::string page;
    for (const Paragraph& paragraph : paragraphs_of(text)) {
        if (paragraph.verbatim) {
            page += paragraph.text + "\n";
        } else {
            for (const auto& line : wrap(paragraph.text, page_width)) page += line + "\n";
        }
        page += "\n";
    }
    return page;
}

std::string as_columns(const std::vector<Row>& rows, std::size_t limit) {
    std::size_t width = 0;
    for (const Row& row : rows) {
        if (row.left.size() <= limit) width = std::max(width, row.left.size());
    }
    const std::string margin = "  ";
    const std::string gap = "   ";
    const std::size_t indent = margin.size() + width + gap.size();
    std::string text;
    for (const Row& row : rows) {
        text += margin + row.left;
        std::size_t at = margin.size() + row.left.size();
        if (row.left.size() > width) { // the right column begins on the next line
            text += "\n";
            at = 0;
        }
        for (const auto& line : wrap(row.right, page_width - indent)) {
            text += std::string(indent - at, ' ') + line + "\n";
            at = 0;
        }
    }
    return text;
}

} // namespace docent::cli
