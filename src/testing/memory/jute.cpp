// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/jute.hpp"

namespace docent::testing {

// ---- JuteReader

std::string_view JuteReader::take(std::size_t size) {
    if (size > rest_.size()) ok_ = false;
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
}

std::uint64_t JuteReader::big_endian(std::size_t size) {
    std::uint64_t value = 0;
    for (const char byte : take(size)) value = value << 8U | static_cast<unsigned char>(byte);
    return value;
}

std::int32_t JuteReader::number() {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(big_endian(4)));
}

std::int64_t JuteReader::long_number() {
    return static_cast<std::int64_t>(big_endian(8));
}

bool JuteReader::flag() {
    return big_endian(1) != 0;
}

std::size_t JuteReader::count(std::size_t size) {
    const std::int32_t length = number();
    if (length <= 0) return 0;
    if (static_cast<std::size_t>(length) > rest_.size() / size) ok_ = false;
    return ok_ ? static_cast<std::size_t>(length) : 0;
}

std::string JuteReader::text() {
    return std::string(take(count(1)));
}

std::vector<std::string> JuteReader::texts() {
    std::vector<std::string> values(count(4));
    for (auto& value : values) value = text();
    return values;
}

Acl JuteReader::acl() {
    Acl values(count(12));
    for (auto& value : values) {
        value.permissions = static_cast<Permission>(number());
        value.scheme = text();
        value.id = text();
    }
    return values;
}

// ---- JuteWriter

void JuteWriter::big_endian(std::uint64_t value, unsigned size) {
    for (unsigned left = size; left > 0; --left) bytes_.push_back(static_cast<char>(value >> 8U * (left - 1) & 0xffU));
}

JuteWriter& JuteWriter::number(std::int32_t value) {
    big_endian(static_cast<std::uint32_t>(value), 4);
    return *this;
}

JuteWriter& JuteWriter::long_number(std::int64_t value) {
    big_endian(static_cast<std::uint64_t>(value), 8);
    return *this;
}

JuteWriter& JuteWriter::flag(bool value) {
    big_endian(value ? 1 : 0, 1);
    return *this;
}

JuteWriter& JuteWriter::text(std::string_view value) {
    return number(static_cast<std::int32_t>(value.size())).raw(value);
}

JuteWriter& JuteWriter::texts(const std::vector<std::string>& values) {
    number(static_cast<std::int32_t>(values.size()));
    for (const auto& value : values) text(value);
    return *this;
}

JuteWriter& JuteWriter::acl(const Acl& acl) {
    number(static_cast<std::int32_t>(acl.size()));
    for (const auto& entry : acl) number(static_cast<std::int32_t>(entry.permissions)).text(entry.scheme).text(entry.id);
    return *this;
}

JuteWriter& JuteWriter::stat(const Stat& stat) {
    long_number(stat.czxid).long_number(stat.mzxid).long_number(stat.ctime).long_number(stat.mtime);
    number(stat.version).number(stat.cversion).number(stat.aversion).long_number(stat.ephemeral_owner);
    return number(stat.data_length).number(stat.num_children).long_number(stat.pzxid);
}

JuteWriter& JuteWriter::raw(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
}

} // namespace docent::testing
