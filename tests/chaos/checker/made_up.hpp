// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/checks.hpp"
#include "checker/transaction_log.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace docent::chaos {

/// Makes a history from lines of processes: `{"a", "10 ask 1 mutex /m"}`.
inline History made_up(std::initializer_list<std::pair<const char*, const char*>> lines) {
    Reader reader;
    for (const auto& [process, line] : lines) reader.line(process, line);
    EXPECT_TRUE(reader.history().unreadable.empty()) << reader.history().unreadable.front();
    return reader.history();
}

/// A transaction in a server's log.
struct LoggedTransaction {
    std::int64_t zxid = 0;
    std::string path;
    enum class Type : std::int32_t { create = 1, remove = 2, close_session = -11 } type = Type::create;
    std::int64_t session = 1;
    std::int64_t time = 1; // ms
};

inline std::string made_up_log(std::initializer_list<LoggedTransaction> transactions) {
    const auto number = [](std::int64_t value, int size) {
        std::string bytes;
        for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
        return bytes;
    };
    std::string log(16, '\0');
    for (const LoggedTransaction& logged : transactions) {
        const bool closes = logged.type == LoggedTransaction::Type::close_session;
        const std::string record = number(logged.session, 8) + number(1, 4) + number(logged.zxid, 8) + number(logged.time, 8) +
                                   number(static_cast<std::int32_t>(logged.type), 4) + (closes ? number(1, 4) : "") +
                                   number(static_cast<std::int64_t>(logged.path.size()), 4) + logged.path;
        log += number(0, 8) + number(static_cast<std::int64_t>(record.size()), 4) + record + 'B';
    }
    return log + std::string(100, '\0');
}

} // namespace docent::chaos
