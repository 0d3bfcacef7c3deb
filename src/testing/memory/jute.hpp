// SPDX-License-Identifier: Apache-2.0
#pragma once

// Jute: the encoding of ZooKeeper's protocol. Numbers are big-endian. Texts and lists begin with their length in four bytes;
// the length -1 stands for null, which is the same as empty here.

#include <docent/acl.hpp>
#include <docent/stat.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::testing {

/// Reads values from a frame. After a read behind the end of the frame, ok() is false, and all values are empty.
class JuteReader {
public:
    explicit JuteReader(std::string_view frame) : rest_(frame) {}

    std::int32_t number();
    std::int64_t long_number();
    bool flag();
    std::string text();
    std::vector<std::string> texts();
    Acl acl();
    bool ok() const noexcept { return ok_; }
    bool at_end() const noexcept { return rest_.empty(); }

private:
    std::string_view take(std::size_t size);
    std::uint64_t big_endian(std::size_t size);
    /// The number of elements of a list. `size`: the bytes that each element takes at least.
    std::size_t count(std::size_t size);

    std::string_view rest_;
    bool ok_ = true;
};

class JuteWriter {
public:
    JuteWriter& number(std::int32_t value);
    JuteWriter& long_number(std::int64_t value);
    JuteWriter& flag(bool value);
    JuteWriter& text(std::string_view value);
    JuteWriter& texts(const std::vector<std::string>& values);
    JuteWriter& acl(const Acl& acl);
    JuteWriter& stat(const Stat& stat);
    JuteWriter& raw(std::string_view bytes);

    /// Returns all bytes and leaves the writer empty.
    std::string take() { return std::exchange(bytes_, {}); }

private:
    void big_endian(std::uint64_t value, unsigned size);

    std::string bytes_;
};

} // namespace docent::testing
