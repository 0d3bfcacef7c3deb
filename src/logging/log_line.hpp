// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace docent::logging {

/// One line of `key=value` pairs. Values are quoted and escaped where they could be mistaken for something else.
class LogLine {
public:
    /// `key` is taken as it is.
    LogLine& add(std::string_view key, std::string_view value);
    template <std::integral Number> LogLine& add(std::string_view key, Number value) {
        return add(key, std::string_view(std::to_string(value)));
    }

    const std::string& text() const { return text_; }

private:
    std::string text_;
};

} // namespace docent::logging
