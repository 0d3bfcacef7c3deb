// SPDX-License-Identifier: Apache-2.0
#include "picture/canonical.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <tuple>

namespace docent::explorer {
namespace {

/// The kind of thing that a number in the text names. Numbers of one kind are compared with each other. From `of_zxid` on, each
/// value begins a range: one kind for each lock, container or client.
enum NumberKind : int {
    no_name,
    of_session,
    of_zxid = 100,
    of_sequence = 200,
    of_guid = 300,
    of_epoch = 600,
};

/// A number in the text that names something.
struct Token {
    std::size_t name; // its index in Names
    std::size_t begin;
    std::size_t end;
};

/// Returns true if 0 means "none".
bool has_none(int kind) {
    return kind < of_sequence || kind >= of_guid;
}

/// Eight characters of a text. The first is in the lowest byte. Bytes behind the end of the text are not digits.
class Eight {
public:
    Eight(std::string_view text, std::size_t at) {
        if (at + sizeof values_ <= text.size()) std::memcpy(&values_, text.data() + at, sizeof values_);
        else if (at < text.size()) std::memcpy(&values_, text.data() + at, text.size() - at);
        if constexpr (std::endian::native == std::endian::big) {
            std::uint64_t turned = 0;
            for (int n = 0; n < 64; n += 8) turned |= (values_ >> n & 0xff) << (56 - n);
            values_ = turned;
        }
        values_ ^= each * '0';
    }

    std::size_t others_before_digit() const { return first_of(~others() & each * 0x80); }
    std::size_t digits_before_other() const { return first_of(others() & each * 0x80); }
    /// Returns the value of the first `count` characters, which are digits.
    std::uint64_t number(std::size_t count) const {
        if (count == 0) return 0;
        const std::uint64_t digits = values_ << (64 - 8 * count); // after zeros
        const std::uint64_t pairs = digits * 10 + (digits >> 8);
        const std::uint64_t fours = (pairs & 0x00ff00ff00ff00ffu) * 100 + (pairs >> 16 & 0x00ff00ff00ff00ffu);
        return (fours & 0xffffu) * 10'000 + (fours >> 32 & 0xffffu);
    }

private:
    static constexpr std::uint64_t each = 0x0101010101010101u;

    static std::size_t first_of(std::uint64_t bits) { return static_cast<std::size_t>(std::countr_zero(bits)) / 8; }
    /// Sets the highest bit of each character that is not one of "0" to "9". Their values are below ten.
    std::uint64_t others() const { return ((values_ & each * 0x7f) + each * (0x80 - 10)) | values_; }

    std::uint64_t values_ = 0;
};

/// Returns the position of the next digit, or the end.
std::size_t find_digit(std::string_view text, std::size_t at) {
    for (; at < text.size(); at += 8) {
        const auto others = Eight(text, at).others_before_digit();
        if (others < 8) return at + others;
    }
    return text.size();
}

/// Has each name once, with the number that replaces it.
class Names {
public:
    Names() { names_.reserve(64); }

    std::size_t place_of(int kind, std::uint64_t value) {
        auto slot = (value * 0x9e3779b97f4a7c15u >> 55U ^ static_cast<unsigned>(kind)) % slots_.size();
        for (; slots_[slot] != 0; slot = (slot + 1) % slots_.size()) {
            const Name& there = names_[slots_[slot] - 1u];
            if (there.value == value && there.kind == kind) return slots_[slot] - 1u;
        }
        if (2 * names_.size() == slots_.size()) throw std::length_error("too many names in a picture");
        names_.push_back({kind, value, 0});
        slots_[slot] = static_cast<std::uint16_t>(names_.size());
        return names_.size() - 1;
    }
    /// Sessions get numbers in the order of the text, all other names by their order within their kind.
    void number() {
        std::size_t sessions = 0;
        std::vector<Name*> in_order;
        in_order.reserve(names_.size());
        for (Name& name : names_) {
            if (name.value == 0 && has_none(name.kind)) continue;
            if (name.kind == of_session) name.number = ++sessions;
            else in_order.push_back(&name);
        }
        const auto rank = [](const Name* name) { return std::tuple(name->kind, name->value); };
        std::sort(in_order.begin(), in_order.end(), [&](const Name* a, const Name* b) { return rank(a) < rank(b); });
        const Name* before = nullptr;
        for (Name* name : in_order) {
            name->number = before && before->kind == name->kind ? before->number + 1 : 1;
            before = name;
        }
    }
    std::size_t number_at(std::size_t place) const { return names_[place].number; }

private:
    struct Name {
        int kind;
        std::uint64_t value;
        std::size_t number;
    };

    std::vector<Name> names_;
    std::array<std::uint16_t, 512> slots_{}; // indices of names, from 1; hashed by kind and value
};

/// Finds the numbers in a text that name something, and writes the text with the numbers that replace them.
class Reader {
public:
    Reader(std::string_view text, const std::vector<int>& lock_of)
        : text_(text), lock_of_(lock_of), next_client_(text.find(begin_of_client)) {
        tokens_.reserve(text.size() / 8);
    }

    void read() {
        for (std::size_t at = find_digit(text_, 0); at < text_.size(); at = find_digit(text_, at)) {
            const std::size_t begin = at;
            std::uint64_t value = 0;
            for (std::size_t digits = 8; digits == 8; at += digits) {
                constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
                const Eight next(text_, at);
                digits = next.digits_before_other();
                value = value * powers[digits] + next.number(digits);
            }
            for (; next_client_ < begin; next_client_ = text_.find(begin_of_client, next_client_ + 1)) ++client_;
            const int kind = kind_of(begin, at, value);
            if (kind != no_name) tokens_.push_back({names_.place_of(kind, value), begin, at});
        }
        names_.number();
    }
    void write(detail::TextBuilder& out) const {
        std::size_t done = 0;
        for (const auto& token : tokens_) {
            out << text_.substr(done, token.begin - done) << '#' << names_.number_at(token.name);
            done = token.end;
        }
        out << text_.substr(done);
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
    std::size_t next_client_; // start of the next client's part
    int client_ = 0;
};

} // namespace

void write_canonical(detail::TextBuilder& out, std::string_view text, const std::vector<int>& lock_of) {
    Reader reader(text, lock_of);
    reader.read();
    reader.write(out);
}

} // namespace docent::explorer
