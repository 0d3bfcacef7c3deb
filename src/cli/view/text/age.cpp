// SPDX-License-Identifier: Apache-2.0
#include "cli/view/text/age.hpp"

#include <algorithm>

namespace docent::cli {
namespace {

std::string two_digits(long long number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
}

} // namespace

std::string short_age(std::chrono::milliseconds age) {
    const long long seconds = std::max<long long>(0, age.count() / 1000);
    const long long minutes = seconds / 60;
    const long long hours = minutes / 60;
    const long long days = hours / 24;
    if (minutes == 0) return std::to_string(seconds) + "s";
    if (hours == 0) return std::to_string(minutes) + "m" + two_digits(seconds % 60) + "s";
    if (days == 0) return std::to_string(hours) + "h" + two_digits(minutes % 60) + "m";
    if (days < 100) return std::to_string(days) + "d" + two_digits(hours % 24) + "h";
    return std::to_string(days) + "d";
}

std::chrono::milliseconds age_at(std::chrono::system_clock::time_point now, long long created) {
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
    return since - std::chrono::milliseconds(std::clamp<long long>(created, 0, std::max<long long>(0, since.count())));
}

} // namespace docent::cli
