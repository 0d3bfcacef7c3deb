// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/tracing/tracer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace docent {

/// The sums over all operations of one name.
/// @ingroup tracing
struct OperationCounts {
    std::uint64_t calls = 0;                   ///< Completed operations.
    std::uint64_t failures = 0;                ///< Operations that completed with an error, also an expected one (`no_node`).
    std::uint64_t requests = 0;                ///< Requests that were sent.
    std::uint64_t retries = 0;                 ///< Requests that repeated a failed one.
    std::uint64_t request_bytes = 0;           ///< The encoded size of all requests.
    std::uint64_t response_bytes = 0;          ///< The encoded size of all replies.
    std::chrono::nanoseconds total_latency{0}; ///< The sum of all latencies; divided by `calls` it gives the mean.
    std::chrono::nanoseconds max_latency{0};   ///< The largest latency.

    /// Compares all fields.
    friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

/// All counts of a CountingTracer at one moment. A map has no entry for a thing that has not happened.
/// @ingroup tracing
struct TraceCounts {
    std::map<std::string, OperationCounts, std::less<>> operations; ///< Operations, by name.
    std::map<SessionState, std::uint64_t> session_events;           ///< Session events, by state.
    std::map<LeaseEvent, std::uint64_t> lease_events;               ///< Lease events, by kind.

    /// Compares all fields.
    friend bool operator==(const TraceCounts&, const TraceCounts&) = default;
};

/// Counts operations, session events and lease events, for a metrics page or a test.
/// ```cpp
/// auto counts = std::make_shared<docent::CountingTracer>();
/// docent::Client counted{{.tracer = counts}};
/// counted.start();
/// counted.exists("/");
/// std::uint64_t failures = counts->snapshot().operations["exists"].failures;
/// ```
/// - Several clients may share one tracer; it then has the sums.
/// - Cost: one look-up and one mutex for each operation; memory for the first operation of each name.
/// - Thread safety: any thread may call all members.
/// @ingroup tracing
class DOCENT_EXPORT CountingTracer final : public Tracer {
public:
    /// Adds the operation to the counts.
    void on_operation(const OperationTrace& trace) override;
    /// Adds the session event to the counts.
    void on_session_event(const SessionEvent& event) override;
    /// Adds the lease event to the counts.
    void on_lease(const LeaseTrace& trace) override;

    /// Returns a copy of all counts. The copy contains each operation completely or not at all.
    TraceCounts snapshot() const;

private:
    mutable std::mutex mutex_;
    TraceCounts counts_; // guarded by mutex_
};

} // namespace docent
