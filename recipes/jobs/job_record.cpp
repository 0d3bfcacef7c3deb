// SPDX-License-Identifier: Apache-2.0
#include "jobs/job_record.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace docent::detail {

std::string record_path_of(std::string_view lock_path) {
    return std::string(lock_path) + ".last-run";
}

std::string format_record(const JobRun& run) {
    return std::to_string(run.began.time_since_epoch().count()) + ' ' + run.who;
}

ParsedRecord parse_record(std::string_view data) {
    if (data.empty()) return {};
    std::int64_t began = 0;
    const auto [end, error] = std::from_chars(data.data(), data.data() + data.size(), began);
    const auto digits = static_cast<std::size_t>(end - data.data());
    if (error != std::errc() || began < 0 || digits == data.size() || data[digits] != ' ') return {.valid = false};
    return {.last = JobRun{ServerTime(std::chrono::milliseconds(began)), std::string(data.substr(digits + 1))}};
}

bool is_due(const std::optional<JobRun>& last, ServerTime now, std::chrono::milliseconds period) {
    if (!last) return true;
    return last->began <= now ? now - last->began >= period : last->began - now >= period;
}

} // namespace docent::detail
