// SPDX-License-Identifier: Apache-2.0
#include "picture/canonical.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

namespace docent::explorer {
namespace {

/// What a number in the text is the name of: numbers of one kind are compared with each other. Each of these begins a range:
/// one for each lock, container or client.
enum NumberKind : int {
    no_name,
    of_session,
    of_zxid = 100,
    of_sequence = 200,
    of_guid = 300,
    of_epoch = 600,
};

/// A number in the text that is a name for something.
struct Token {
    int kind;
    std::uint64_t value;
    std::size_t begin;
    std::size_t end;
};
using NumberName = std::pair<int, std::uint64_t>;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

struct Workspace {
    std::vector<Token> tokens;
    std::vector<NumberName> names; // each once, in order; no sessions
    std::vector<std::uint64_t> sessions;
};

class Reader {
public:
    Reader(std::string_view text, const std::vector<int>& lock_of, std::vector<Token>& tokens)
        : text_(text), lock_of_(lock_of), tokens_(tokens) {}

    void read() {
        for (std::size_t at = 0; at < text_.size();) {
            client_ += text_[at] == begin_of_client ? 1 : 0;
            if (!is_digit(text_[at])) {
                ++at;
                continue;
            }
            std::size_t end = at;
            while (end < text_.size() && is_digit(text_[end])) ++end;
            Token token{no_name, 0, at, end};
            std::from_chars(text_.data() + at, text_.data() + end, token.value);
            token.kind = kind_of(token);
            if (token.kind != no_name) tokens_.push_back(token);
            at = end;
        }
    }

private:
    int kind_of(const Token& token) const {
        constexpr std::size_t sequence_digits = 10;
        const auto before = text_.substr(0, token.begin);
        if (before.ends_with(' ')) {
            if (before.ends_with("session ")) return of_session;
            if (before.ends_with("czxid ")) return of_zxid + (token.value < lock_of_.size() ? lock_of_[token.value] : 0);
            if (before.ends_with("epoch ")) return of_epoch + client_;
        }
        if (token.end - token.begin == sequence_digits && !text_.substr(token.end).starts_with("ns"))
            return of_sequence + static_cast<int>(token.value / numbers_apart);
        const bool is_guid =
            before.size() >= 4 && before[before.size() - 2] == '_' && before.substr(before.size() - 4, 3) == "_c_";
        return is_guid ? of_guid + static_cast<unsigned char>(before.back()) : no_name;
    }

    const std::string_view text_;
    const std::vector<int>& lock_of_;
    std::vector<Token>& tokens_;
    int client_ = 0;
};

void collect_names(Workspace& work) {
    work.names.clear();
    for (const auto& token : work.tokens) {
        if (token.kind != of_session) work.names.emplace_back(token.kind, token.value);
    }
    std::sort(work.names.begin(), work.names.end());
    work.names.erase(std::unique(work.names.begin(), work.names.end()), work.names.end());
}

bool has_none(int kind) {
    return kind < of_sequence || kind >= of_guid;
}

/// The place of a name among its kind; 0 for none.
std::ptrdiff_t rank_in(const std::vector<NumberName>& names, const Token& token) {
    if (token.value == 0 && has_none(token.kind)) return 0;
    const auto first = std::lower_bound(names.begin(), names.end(), NumberName{token.kind, has_none(token.kind) ? 1 : 0});
    const auto found = std::lower_bound(first, names.end(), NumberName{token.kind, token.value});
    return found - first + 1;
}

std::ptrdiff_t number_in(std::vector<std::uint64_t>& sessions, std::uint64_t session) {
    if (session == 0) return 0;
    auto found = std::find(sessions.begin(), sessions.end(), session);
    if (found == sessions.end()) found = sessions.insert(sessions.end(), session);
    return found - sessions.begin() + 1;
}

} // namespace

std::string canonical(const std::string& text, const std::vector<int>& lock_of) {
    Workspace work;
    work.tokens.reserve(text.size() / 16);
    Reader(text, lock_of, work.tokens).read();
    collect_names(work);
    std::string result;
    result.reserve(text.size());
    std::size_t done = 0;
    for (const auto& token : work.tokens) {
        result.append(text, done, token.begin - done);
        const auto number = token.kind == of_session ? number_in(work.sessions, token.value) : rank_in(work.names, token);
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        result += '#';
        result.append(digits, end);
        done = token.end;
    }
    return result.append(text, done);
}

} // namespace docent::explorer
