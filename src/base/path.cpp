// SPDX-License-Identifier: Apache-2.0
#include <docent/path.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace docent {
namespace {

/// Length of the UTF-8 sequence at the front of `text` and its code point; length 0 if it is not valid.
struct CodePoint {
    std::size_t length = 0;
    std::uint32_t value = 0;
};

CodePoint decode_front(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {1, first};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
    std::uint32_t value = first & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        value = value << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < smallest[length] || value > 0x10ffff) return {};
    return {length, value};
}

/// Whether ZooKeeper's PathUtils.validatePath refuses the character. Java sees characters above U+FFFF as surrogates, which it
/// refuses.
bool is_forbidden(std::uint32_t c) noexcept {
    return c <= 0x1f || (c >= 0x7f && c <= 0x9f) || (c >= 0xd800 && c <= 0xf8ff) || c >= 0xfff0;
}

/// True for most paths. The loop has no early exit, so the compiler can vectorize it.
bool is_plain_ascii(std::string_view path) noexcept {
    unsigned others = 0;
    for (const char c : path) others |= static_cast<unsigned>(static_cast<unsigned char>(c - 0x20) >= 0x7f - 0x20);
    return others == 0;
}

const char* find_fault(std::string_view path) noexcept {
    if (path.empty()) return "it is empty";
    if (path.front() != '/') return "it does not begin with /";
    if (path.size() == 1) return nullptr;
    if (path.back() == '/') return "it ends with /";
    for (std::size_t i = is_plain_ascii(path) ? path.size() : 0; i < path.size();) {
        const CodePoint c = decode_front(path.substr(i));
        if (c.length == 0) return "it is not valid UTF-8";
        if (is_forbidden(c.value)) return "it has a character that ZooKeeper does not allow";
        i += c.length;
    }
    for (std::size_t begin = 1; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view element = path.substr(begin, end - begin);
        if (element.empty()) return "it has an empty element (//)";
        if (element == "." || element == "..") return "it has . or .. as an element";
        begin = end + 1;
    }
    return nullptr;
}

/// The same as rfind('/'), and faster: rfind() looks at one character at a time.
std::size_t last_slash(std::string_view path) noexcept {
    const void* const slash = path.empty() ? nullptr : ::memrchr(path.data(), '/', path.size());
    return slash == nullptr ? std::string_view::npos : static_cast<std::size_t>(static_cast<const char*>(slash) - path.data());
}

} // namespace

error_code check_path(std::string_view path) noexcept {
    return find_fault(path) == nullptr ? error_code{} : make_error_code(error::invalid_path);
}

std::string explain_path(std::string_view path) {
    const char* fault = find_fault(path);
    if (fault == nullptr) return {};
    return "'" + std::string(path) + "' is not a valid path: " + fault;
}

std::string join_path(std::string_view parent, std::string_view child) {
    while (parent.ends_with('/')) parent.remove_suffix(1);
    while (child.starts_with('/')) child.remove_prefix(1);
    std::string path;
    path.reserve(parent.size() + 1 + child.size());
    path.append(parent);
    path.push_back('/');
    path.append(child);
    return path;
}

std::string_view parent_path(std::string_view path) noexcept {
    const auto slash = last_slash(path);
    return slash == 0 || slash == std::string_view::npos ? path.substr(0, 1) : path.substr(0, slash);
}

std::string_view node_name(std::string_view path) noexcept {
    return path.substr(std::min(last_slash(path) + 1, path.size()));
}

std::vector<std::string> ancestor_paths(std::string_view path) {
    std::vector<std::string> ancestors;
    for (std::size_t slash = path.find('/', 1); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
        ancestors.emplace_back(path.substr(0, slash));
    }
    return ancestors;
}

} // namespace docent
