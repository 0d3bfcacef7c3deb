// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace docent::detail {

/// Builds a text as a stream does, without its cost: an explorer describes every state that it sees. A short text needs no
/// allocation.
class TextBuilder {
public:
    TextBuilder() = default;
    TextBuilder(const TextBuilder&) = delete;
    TextBuilder& operator=(const TextBuilder&) = delete;

    TextBuilder& operator<<(std::string_view part) {
        if (part.size() > static_cast<std::size_t>(end_ - at_)) grow(part.size());
        std::memcpy(at_, part.data(), part.size());
        at_ += part.size();
        return *this;
    }
    TextBuilder& operator<<(char part) {
        if (at_ == end_) grow(1);
        *at_++ = part;
        return *this;
    }
    template <std::integral Number> TextBuilder& operator<<(Number number) {
        if constexpr (std::is_same_v<Number, bool>) return *this << (number ? 'y' : 'n');
        else return write(number);
    }
    /// Writes a letter for each value, because digits may be a part of a name.
    template <typename Enum>
    requires std::is_enum_v<Enum> TextBuilder& operator<<(Enum value) {
        return *this << static_cast<char>('A' + static_cast<int>(value));
    }
    std::string_view text() const { return {begin_, static_cast<std::size_t>(at_ - begin_)}; }
    std::string take() const { return std::string(text()); }
    /// Clears the text, and keeps the memory.
    void clear() { at_ = begin_; }

private:
    template <typename Number> TextBuilder& write(Number number) {
        constexpr std::ptrdiff_t longest = 24;
        if (end_ - at_ < longest) grow(longest);
        at_ = std::to_chars(at_, end_, number).ptr;
        return *this;
    }
    void grow(std::size_t least) {
        const auto size = text().size();
        const auto room = 2 * (size + least);
        auto larger = std::make_unique_for_overwrite<char[]>(room);
        std::memcpy(larger.get(), begin_, size);
        memory_ = std::move(larger);
        begin_ = memory_.get();
        at_ = begin_ + size;
        end_ = begin_ + room;
    }

    char short_[1000];
    std::unique_ptr<char[]> memory_; // for longer texts
    char* begin_ = short_;
    char* at_ = short_;
    char* end_ = std::end(short_);
};

} // namespace docent::detail
