// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace docent::detail {

/// Puts a text together as a stream does, without its cost: an explorer describes every state that it sees.
class TextBuilder {
public:
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
        else return *this << std::string_view(std::to_string(number));
    }
    const std::string& text() const { return text_; }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

} // namespace docent::detail
