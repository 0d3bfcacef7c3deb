// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known of a job's runs, and what follows from it. Pure.

#include <docent/recipes/once_per_period.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace docent::detail {

/// A record beside the lock: the children of its own path are its queue.
std::string record_path_of(std::string_view lock_path);

/// "<milliseconds since 1970> <who>", or nothing before the first run.
std::string format_record(const JobRun& run);

struct ParsedRecord {
    bool valid = true;
    std::optional<JobRun> last = {};
    friend bool operator==(const ParsedRecord&, const ParsedRecord&) = default;
};
ParsedRecord parse_record(std::string_view data);

/// Whether a run may begin: none has, or the last one began a period ago. So it is, too, if the last one will begin in a period
/// only: then the servers' clock has been set back since.
bool is_due(const std::optional<JobRun>& last, ServerTime now, std::chrono::milliseconds period);

} // namespace docent::detail
