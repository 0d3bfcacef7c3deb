// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/transaction_file.hpp"

#include "cli/arguments/parse.hpp"
#include "cli/arguments/values.hpp"

#include <docent/path.hpp>

#include <boost/locale/utf.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace docent::cli {
namespace {

struct Word {
    std::string text;
    std::size_t column; // from 1
};

class Line {
public:
    Line(std::string_view text, std::size_t number) : text_(text), number_(number) {}

    [[noreturn]] void fail(std::size_t column, const std::string& what) const {
        throw UsageError("tx: line " + std::to_string(number_) + ", column " + std::to_string(column) + ": " + what);
    }

    std::vector<Word> words() const {
        std::vector<Word> result;
        std::size_t at = 0;
        for (;;) {
            while (at < text_.size() && is_blank(text_[at])) ++at;
            if (at == text_.size()) return result;
            result.push_back({{}, at + 1});
            at = text_[at] == '"' ? quoted(at, result.back().text) : bare(at, result.back().text);
        }
    }

    std::size_t end() const { return text_.size() + 1; }

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

    std::size_t bare(std::size_t at, std::string& into) const {
        while (at < text_.size() && !is_blank(text_[at])) into.push_back(text_[at++]);
        return at;
    }

    std::size_t quoted(std::size_t open, std::string& into) const {
        std::size_t at = open + 1;
        for (; at < text_.size() && text_[at] != '"'; ++at) {
            if (text_[at] != '\\') {
                into.push_back(text_[at]);
                continue;
            }
            if (++at == text_.size()) break;
            at = unescape(at, into);
        }
        if (at >= text_.size()) fail(open + 1, "the quote is not closed");
        if (at + 1 < text_.size() && !is_blank(text_[at + 1])) fail(at + 2, "a blank must follow the quote");
        return at + 1;
    }

    /// Decodes a JSON escape after a backslash. Returns the index of its last character.
    std::size_t unescape(std::size_t at, std::string& into) const {
        switch (text_[at]) {
        case '"':
        case '\\':
        case '/': into.push_back(text_[at]); return at;
        case 'b': into.push_back('\b'); return at;
        case 'f': into.push_back('\f'); return at;
        case 'n': into.push_back('\n'); return at;
        case 'r': into.push_back('\r'); return at;
        case 't': into.push_back('\t'); return at;
        case 'u': return unicode(at, into);
        default: fail(at, "after a backslash, only the letters of JSON may stand: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
        }
    }

    /// Decodes `uXXXX`, or a pair for a character above U+FFFF: `uD83D\uDE00`.
    std::size_t unicode(std::size_t at, std::string& into) const {
        const std::uint32_t first = code_unit(at);
        const auto is_first_half = [](std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; };
        const auto is_second_half = [](std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; };
        if (!is_first_half(first) && !is_second_half(first)) {
            append_utf8(first, into);
            return at + unit_length - 1;
        }
        const std::size_t next = at + unit_length + 1; // after the next backslash
        const bool follows = next < text_.size() && text_[next - 1] == '\\' && text_[next] == 'u';
        const std::uint32_t second = is_first_half(first) && follows ? code_unit(next) : 0;
        if (!is_second_half(second)) fail(at, "the \\u is half of a pair; the other half is missing");
        append_utf8(0x10000 + ((first - 0xd800) << 10U) + (second - 0xdc00), into);
        return next + unit_length - 1;
    }

    static constexpr std::size_t unit_length = 5; // uXXXX

    std::uint32_t code_unit(std::size_t at) const {
        const std::string_view digits = text_.substr(at + 1, unit_length - 1);
        std::uint32_t unit = 0;
        const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
        if (ec != std::errc{} || digits.size() != unit_length - 1 || end != digits.data() + digits.size())
            fail(at, "four hexadecimal digits follow \\u");
        return unit;
    }

    static void append_utf8(std::uint32_t code, std::string& into) {
        boost::locale::utf::utf_traits<char>::encode(code, std::back_inserter(into));
    }

    std::string_view text_;
    std::size_t number_;
};

std::int32_t version_of(const Line& line, const Word& word) {
    std::int32_t version = 0;
    if (!parse_number(word.text, version) || version < -1) line.fail(word.column, "'" + word.text + "' is not a version");
    return version;
}

/// Checks the number of words, and the path.
void check_words(const Line& line, const std::vector<Word>& words, std::size_t at_least, std::size_t at_most) {
    if (words.size() < 2) line.fail(line.end(), "PATH is missing");
    if (const auto fault = explain_path(words[1].text); !fault.empty()) line.fail(words[1].column, fault);
    if (words.size() < at_least) line.fail(line.end(), "DATA is missing");
    if (words.size() > at_most) line.fail(words[at_most].column, "unexpected '" + words[at_most].text + "'");
}

void add_operation(Transaction& transaction, const Line& line, const std::vector<Word>& words) {
    const std::string& name = words.front().text;
    const auto version_at = [&](std::size_t i) { return words.size() > i ? version_of(line, words[i]) : -1; };
    if (name == "create") {
        check_words(line, words, 2, 3);
        transaction.create(words[1].text, words.size() > 2 ? words[2].text : "");
    } else if (name == "set") {
        check_words(line, words, 3, 4);
        transaction.set_data(words[1].text, words[2].text, version_at(3));
    } else if (name == "delete") {
        check_words(line, words, 2, 3);
        transaction.remove(words[1].text, version_at(2));
    } else if (name == "check") {
        check_words(line, words, 2, 3);
        transaction.check(words[1].text, version_at(2));
    } else {
        line.fail(words.front().column, "'" + name + "' is not an operation (create, set, delete, check)");
    }
}

} // namespace

Transaction parse_transaction(std::string_view text) {
    Transaction transaction;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const Line line(text.substr(0, end), number);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto words = line.words();
        if (!words.empty() && !words.front().text.starts_with('#')) add_operation(transaction, line, words);
    }
    return transaction;
}

} // namespace docent::cli
