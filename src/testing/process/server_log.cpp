// SPDX-License-Identifier: Apache-2.0

#include "testing/process/server_log.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace docent::testing {
namespace {

/// Parts of lines that do not say why the server has ended.
constexpr std::array<std::string_view, 6> remarks = {
    "exiting abnormally",
    "Exiting JVM with code",
    "Error: Could not create the Java Virtual Machine",
    "Error: A fatal exception has occurred",
    "Picked up ",
    "is not configured, using default value",
};

bool is_remark(std::string_view line) {
    return line.empty() || line.front() == '\t' || // of a stack trace
           std::any_of(remarks.begin(), remarks.end(),
                       [&](std::string_view remark) { return line.find(remark) != std::string_view::npos; });
}

} // namespace

std::string reason_in(std::string_view log) {
    std::istringstream lines{std::string(log)};
    std::string reason;
    std::string reason_of_main;
    bool of_main = false;
    for (std::string line; std::getline(lines, line);) {
        const auto text = line.find_first_not_of("# ");
        // A crash: the first line is the reason, behind a heading. Help for reports follows.
        if (line.starts_with("# ") && text != line.npos && !line.ends_with(':')) return line.substr(text);
        if (line.starts_with('[')) of_main = line.starts_with("[main] ERROR"); // the exception follows
        if (!is_remark(line)) (of_main ? reason_of_main : reason) = line;
    }
    return reason_of_main.empty() ? reason : reason_of_main;
}

} // namespace docent::testing
