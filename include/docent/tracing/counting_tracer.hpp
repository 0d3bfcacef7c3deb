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

/// All operations of one name, added up.
struct OperationCounts {
    std::uint64_t calls = 0;
    std::uint64_t failures = 0; ///< Those of them that completed with an error, expected ones such as `no_node` included.
    std::uint64_t requests = 0;
    std::uint64_t retries = 0;
    std::uint64_t request_bytes = 0;
    std::uint64_t response_bytes = 0;
    std::chrono::nanoseconds total_latency{0}; ///< Divided by `calls`: the mean.
    std::chrono::nanoseconds max_latency{0};

    friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

/// What a CountingTracer has counted so far.
struct TraceCounts {
    std::map<std::string, OperationCounts, std::less<>> operations; ///< By name; a name comes with its first operation.
    std::map<SessionState, std::uint64_t> session_events;           ///< By state; a state comes with its first event.
    std::map<LeaseEvent, std::uint64_t> lease_events;               ///< By event; an event comes with its first time.

    friend bool operator==(const TraceCounts&, const TraceCounts&) = default;
};

/// Counts operations, session events and what happens to leases, for a metrics page or a test. One may serve several clients:
/// it then holds their sum.
///
/// An operation costs one look-up and one mutex that only snapshots and other clients compete for; memory is needed for the
/// first operation of a name only. All members may be called from any thread.
class DOCENT_EXPORT CountingTracer final : public Tracer {
public:
    void on_operation(const OperationTrace& trace) override;
    void on_session_event(const SessionEvent& event) override;
    void on_lease(const LeaseTrace& trace) override;

    /// A copy of all counts, of one moment: no operation is in it by half.
    TraceCounts snapshot() const;

private:
    mutable std::mutex mutex_;
    TraceCounts counts_; // guarded by mutex_
};

} // namespace docent
