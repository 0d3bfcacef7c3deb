// SPDX-License-Identifier: Apache-2.0
#include "picture/canonical.hpp"

#include <charconv>
#include <cstddef>
#include <iterator>
#include <string_view>

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
    std::size_t name; // its place in Names
    std::size_t begin;
    std::size_t end;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// 0 stands for none.
bool has_none(int kind) {
    return kind < of_sequence || kind >= of_guid;
}

/// Each once, with what stands for it: few enough to be looked through.
class Names {
public:
    Names() { names_.reserve(64); }

    std::size_t place_of(int kind, std::uint64_t value) {
        for (std::size_t n = 0; n < names_.size(); ++n) {
            if (names_[n].value == value && names_[n].kind == kind) return n;
        }
        names_.push_back({kind, value, 0});
        return names_.size() - 1;
    }
    /// Sessions are numbered as they came, all others by their order among their kind.
    void number() {
        std::size_t sessions = 0;
        for (Name& name : names_) {
            if (name.value == 0 && has_none(name.kind)) continue;
            if (name.kind == of_session) name.number = ++sessions;
            else name.number = 1 + lower_than(name);
        }
    }
    std::size_t number_at(std::size_t place) const { return names_[place].number; }

private:
    struct Name {
        int kind;
        std::uint64_t value;
        std::size_t number;
    };
    std::size_t lower_than(const Name& name) const {
        const bool counts_zero = !has_none(name.kind);
        std::size_t count = 0;
        for (const Name& other : names_) {
            if (other.kind == name.kind && other.value < name.value && (other.value > 0 || counts_zero)) ++count;
        }
        return count;
    }

    std::vector<Name> names_;
};

class Reader {
public:
    Reader(std::string_view text, const std::vector<int>& lock_of) : text_(text), lock_of_(lock_of) {
        tokens_.reserve(text.size() / 16);
    }

    void read() {
        for (std::size_t at = 0; at < text_.size();) {
            const char c = text_[at];
            if (!is_digit(c)) {
                client_ += c == begin_of_client ? 1 : 0;
                ++at;
                continue;
            }
            const std::size_t begin = at;
            std::uint64_t value = 0;
            for (; at < text_.size() && is_digit(text_[at]); ++at)
                value = 10 * value + static_cast<std::uint64_t>(text_[at] - '0');
            const int kind = kind_of(begin, at, value);
            if (kind != no_name) tokens_.push_back({kind, names_.place_of(kind, value), begin, at});
        }
        names_.number();
    }
    std::string with_numbers() const {
        std::string result;
        result.reserve(text_.size());
        std::size_t done = 0;
        for (const auto& token : tokens_) {
            result.append(text_, done, token.begin - done);
            char digits[24] = {'#'};
            result.append(digits, std::to_chars(digits + 1, std::end(digits), names_.number_at(token.name)).ptr);
            done = token.end;
        }
        return result.append(text_, done);
    }

private:
    int kind_of(std::size_t begin, std::size_t end, std::uint64_t value) const {
        constexpr std::size_t sequence_digits = 10;
        const auto before = text_.substr(0, begin);
        if (before.size() > 1 && before.back() == ' ') {
            const char last = before[before.size() - 2];
            if (last == 'n' && before.ends_with("session ")) return of_session;
            if (last == 'd' && before.ends_with("czxid ")) return of_zxid + (value < lock_of_.size() ? lock_of_[value] : 0);
            if (last == 'h' && before.ends_with("epoch ")) return of_epoch + client_;
        }
        if (end - begin == sequence_digits && !text_.substr(end).starts_with("ns"))
            return of_sequence + static_cast<int>(value / numbers_apart);
        const bool is_guid =
            before.size() >= 4 && before[before.size() - 2] == '_' && before.substr(before.size() - 4, 3) == "_c_";
        return is_guid ? of_guid + static_cast<unsigned char>(before.back()) : no_name;
    }

    const std::string_view text_;
    const std::vector<int>& lock_of_;
    std::vector<Token> tokens_;
    Names names_;
    int client_ = 0;
};

} // namespace

std::string canonical(const std::string& text, const std::vector<int>& lock_of) {
    Reader reader(text, lock_of);
    reader.read();
    return reader.with_numbers();
}

} // namespace docent::explorer
