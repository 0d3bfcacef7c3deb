// SPDX-License-Identifier: Apache-2.0
#pragma once

// A log of several processes about their turns at a mutex, a read/write lock and a semaphore. Each writes `enter SIDE NAME`
// once it holds the lock and `leave SIDE NAME` before it releases it, with one write each. Appended lines are in the order in
// which they happened: names that are inside by the lines were inside together.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace docent::test {

/// A turn, written as `SIDE` or `SIDE:ENTERED`.
struct Turn {
    std::string side;        // mutex, read, write or permit
    std::size_t entered = 0; // the holder stays until so many have ever entered on that side, itself included

    static Turn parse(const std::string& text);
    std::string text() const { return entered == 0 ? side : side + ":" + std::to_string(entered); }
};
using Turns = std::vector<Turn>;

/// Parses turns that are separated by commas.
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
    /// Waits until so many have entered as `turn.entered` says. Throws std::runtime_error if they do not.
    void await_entered(const Turn& turn) const;

private:
    std::filesystem::path file_;
    int descriptor_;
};

/// The result of checking a log.
struct TurnReport {
    std::vector<std::string> wrong;                                   // wrong lines, with the reason
    std::map<std::string, std::size_t> most_inside = {};              // the most names inside at once, by side
    std::map<std::pair<std::string, std::string>, std::size_t> turns; // completed turns, by name and side
};

/// `permits`: the semaphore's limit.
TurnReport check_turns(const std::vector<std::string>& lines, std::size_t permits);

} // namespace docent::test
