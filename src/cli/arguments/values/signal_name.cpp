// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/values/signal_name.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <initializer_list>

#include <signal.h>

namespace docent::cli {
namespace {

constexpr int last_with_a_name = 31; // real-time signals follow, without a meaning

bool ends_a_program(int signal) {
    const auto none = {SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
    return signal >= 1 && signal <= last_with_a_name && std::find(none.begin(), none.end(), signal) == none.end();
}

std::optional<int> by_name(std::string_view name) {
    for (int signal = 1; signal <= last_with_a_name; ++signal) {
        const char* const known = ::sigabbrev_np(signal);
        if (known != nullptr && name == known) return signal;
    }
    return std::nullopt;
}

} // namespace

std::optional<int> parse_signal(std::string_view text) {
    int number = 0;
    const auto [rest, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = ec == std::errc{} && rest == text.data() + text.size();
    const auto signal = is_number ? std::optional(number) : by_name(text.starts_with("SIG") ? text.substr(3) : text);
    return signal && ends_a_program(*signal) ? signal : std::nullopt;
}

} // namespace docent::cli
