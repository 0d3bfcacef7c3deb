// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace docent::detail {

/// Puts a text together as a stream does, without its cost: an explorer describes every state that it sees.
class TextBuilder {
public:
    /// `room`: for so many characters, so that nothing is moved while they are written.
    explicit TextBuilder(std::size_t room = 0) { text_.reserve(room); }

    TextBuilder& operator<<(std::string_view part) {
        text_ += part;
        return *this;
    }
    TextBuilder& operator<<(char part) {
        text_ += part;
        return *this;
    }
    template <std::integral Number> TextBuilder& operator<<(Number number) {
        if constexpr (std::is_same_v<Number, bool>) return *this << (number ? '1' : '0');
        else return write(number);
    }
    const std::string& text() const { return text_; }
    std::string take() { return std::move(text_); }

private:
    template <typename Number> TextBuilder& write(Number number) {
        char digits[24];
        text_.append(digits, std::to_chars(digits, std::end(digits), number).ptr);
        return *this;
    }

    std::string text_;
};

} // namespace docent::detail
