// SPDX-License-Identifier: Apache-2.0
#pragma once

// What several processes write down, all into one file, about their turns at a mutex, at a read/write lock and at a semaphore:
// `enter SIDE NAME` once they hold it, `leave SIDE NAME` before they let go, with one write each. What is appended is in the
// order in which it happened; so who is inside by the lines was inside together.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace docent::test {

/// Written as `SIDE`, or `SIDE:COMPANY`.
struct Turn {
    std::string side;        // mutex, read, write or permit
    std::size_t company = 0; // stays until so many have ever entered on that side, itself included

    static Turn parse(const std::string& text);
    std::string text() const { return company == 0 ? side : side + ":" + std::to_string(company); }
};
using Turns = std::vector<Turn>;

/// Separated by commas.
Turns parse_turns(const std::string& text);
std::string to_text(const Turns& turns);

class TurnLog {
public:
    /// Throws std::system_error.
    explicit TurnLog(std::filesystem::path file);
    ~TurnLog();
    TurnLog(const TurnLog&) = delete;
    TurnLog& operator=(const TurnLog&) = delete;

    void append(const std::string& line) const;
    /// Throws std::runtime_error if they do not come.
    void await_company(const Turn& turn) const;

private:
    std::filesystem::path file_;
    int descriptor_;
};

/// What a log says.
struct TurnReport {
    std::vector<std::string> wrong;                                   // lines that should not be there, with the reason
    std::map<std::string, std::size_t> most_inside = {};              // at once, by side
    std::map<std::pair<std::string, std::string>, std::size_t> turns; // completed, by name and side
};

/// `permits`: the semaphore's limit.
TurnReport check_turns(const std::vector<std::string>& lines, std::size_t permits);

} // namespace docent::test
