// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/checks.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace docent::chaos {

/// A history from lines of processes: `{"a", "10 ask 1 mutex /m"}`.
inline History made_up(std::initializer_list<std::pair<const char*, const char*>> lines) {
    Reader reader;
    for (const auto& [process, line] : lines) reader.line(process, line);
    EXPECT_TRUE(reader.history().unreadable.empty()) << reader.history().unreadable.front();
    return reader.history();
}

} // namespace docent::chaos
