// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job, and the record of its runs.

#include "client/core/client_view.hpp"

#include <docent/recipes/once_per_period.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace docent::detail {

/// The path of the record, beside the lock's path: the children of the lock's path are its queue.
std::string record_path_of(std::string_view lock_path);

/// The record's data: "<milliseconds since 1970> <who>".
std::string format_record(const JobRun& run);

struct ParsedRecord {
    bool valid = true;
    std::optional<JobRun> last = {};
    friend bool operator==(const ParsedRecord&, const ParsedRecord&) = default;
};
ParsedRecord parse_record(std::string_view data);

/// Whether a run is due: there was no run, or the last run began at least a period ago. A run is also due if the last run lies
/// a period or more in the future, because the servers' clock was set back.
bool is_due(const std::optional<JobRun>& last, ServerTime now, std::chrono::milliseconds period);

/// A job's record and period.
class PeriodCore {
public:
    PeriodCore(std::shared_ptr<ClientView> view, std::string record_path, std::chrono::milliseconds period)
        : view_(std::move(view)), record_path_(std::move(record_path)), period_(period) {}

    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::string& record_path() const { return record_path_; }
    std::chrono::milliseconds period() const { return period_; }

private:
    std::shared_ptr<ClientView> view_;
    std::string record_path_;
    std::chrono::milliseconds period_;
};

} // namespace docent::detail
