// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/program_seat.hpp"

#include "posix/spawn.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include <poll.h>

namespace docent::cli {
namespace {

std::vector<std::string> split_entries(std::string_view text) {
    std::vector<std::string> entries;
    while (!text.empty()) {
        const auto end = text.find('\0');
        entries.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return entries;
}

/// Whether the descriptor becomes readable until `latest`.
bool readable_by(int fd, BootClock::time_point latest) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(latest - BootClock::now());
        pollfd wanted{fd, POLLIN, 0};
        if (::poll(&wanted, 1, static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0))) > 0) return true;
        if (left.count() <= 0) return false;
    }
}

} // namespace

void become_program(const std::vector<std::string>& words, const sigset_t& mask, int docent, pid_t parent) {
    posix::die_with(parent);
    std::string message(longest_message, '\0');
    const ssize_t length = ::recv(docent, message.data(), message.size(), 0); // no signal interrupts: all are blocked
    StartOrder order;
    if (length < static_cast<ssize_t>(sizeof order)) return; // docent has closed its end: do not run the program
    std::memcpy(&order, message.data(), sizeof order);
    const auto entries = std::string_view(message.data(), static_cast<std::size_t>(length)).substr(sizeof order);
    const posix::ProgramImage image(words, split_entries(entries));
    posix::report_error(docent, BootClock::now() < order.latest ? image.execute(mask) : too_late);
}

int start_program(int seat, BootClock::time_point latest, const std::vector<std::string>& more_environment) {
    std::string message(bytes_of(StartOrder{latest}));
    for (const auto& entry : more_environment) message.append(entry).push_back('\0');
    int error = 0;
    if (::send(seat, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        error = errno == EMSGSIZE ? E2BIG : errno;
    else error = readable_by(seat, latest) ? posix::read_reported_error(seat) : too_late;
    // The guard may end the child at any moment after the bound.
    return error != 0 && BootClock::now() >= latest ? too_late : error;
}

} // namespace docent::cli
