// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace docent::logging {

/// A line of `key=value` pairs. Quotes and escapes values where necessary.
class LogLine {
public:
    /// `key` is not escaped.
    LogLine& add(std::string_view key, std::string_view value);
    template <std::integral Number> LogLine& add(std::string_view key, Number value) {
        return add(key, std::string_view(std::to_string(value)));
    }

    const std::string& text() const { return text_; }

private:
    std::string text_;
};

} // namespace docent::logging
