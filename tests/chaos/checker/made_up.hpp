// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/checks.hpp"
#include "checker/transaction_log.hpp"
#include "hostile_server.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace docent::chaos {

/// Processes and their events: `{"a", "10 ask 1 mutex /m; 11 yes 1"}`. A process may have several elements.
using Events = std::vector<std::pair<std::string, std::string>>;

/// Makes a history. The zeros follow each time: `"000000"` if the times are in milliseconds.
inline History made_up(const Events& events, const std::string& zeros = "") {
    Reader reader;
    for (const auto& [process, lines] : events) {
        std::istringstream in(lines);
        for (std::string line; std::getline(in >> std::ws, line, ';');) {
            reader.line(process, line.insert(line.find(' '), zeros));
        }
    }
    EXPECT_TRUE(reader.history().unreadable.empty()) << reader.history().unreadable.front();
    return reader.history();
}

/// A transaction in a server's log.
struct LoggedTransaction {
    std::int64_t zxid = 0;
    std::string path;
    enum class Type : std::int32_t { create = 1, remove = 2, set = 5, close_session = -11 } type = Type::create;
    std::int64_t session = 1;
    std::int64_t time = 1;    // ms
    std::int32_t version = 0; // that a `set` made
};

inline std::string made_up_log(std::initializer_list<LoggedTransaction> transactions) {
    using test::wire, test::wire_long, test::wire_text;
    std::string log(16, '\0');
    for (const LoggedTransaction& logged : transactions) {
        const bool closes = logged.type == LoggedTransaction::Type::close_session;
        const std::string record = wire_long(logged.session) + wire(1) + wire_long(logged.zxid) + wire_long(logged.time) +
                                   wire(static_cast<std::int32_t>(logged.type)) + (closes ? wire(1) : "") +
                                   wire_text(logged.path) + wire_text("") + wire(logged.version);
        log += wire_long(0) + wire_text(record) + 'B';
    }
    return log + std::string(100, '\0');
}

} // namespace docent::chaos
