// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reports one request for a lock, and its lease, to a tracer.

#include "client/core/operation.hpp"
#include "lease/hold.hpp"
#include "names/node_name.hpp"

#include <docent/recipes/lease.hpp>
#include <docent/tracing/lease_trace.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace docent::detail {

/// The kind of lease of a node with this token.
LeaseKind kind_of(const QueueToken& token) noexcept;

/// Members may be called from any thread, one at a time.
class LeaseSpan {
public:
    /// Begins with the request for the lock at `path`. Returns null without a tracer.
    static std::shared_ptr<LeaseSpan> begin(const std::shared_ptr<ClientView>& view, LeaseKind kind, const std::string& path,
                                            const LeaseTerms& terms, const BootNow& now);
    /// The span of a lease that replaces another lease, or stands beside it. Null if `span` is null.
    static std::shared_ptr<LeaseSpan> follow(const std::shared_ptr<LeaseSpan>& span, LeaseKind kind);

    LeaseSpan(std::shared_ptr<ClientView> view, LeaseKind kind, std::string path, LeaseTerms terms, BootNow now);

    void on_granted();
    void on_refused(error_code ec);
    /// Only the first call counts: a hold may learn of a request in several ways.
    void on_revocation_request();
    /// `how`: `released` or `expired`. `margin`: how long the session would certainly have lived; ignored after an expiry.
    void on_over(LeaseState how, std::chrono::nanoseconds margin);
    /// Called when the reason of the loss is known. `when`: the time of the loss.
    void on_lost(error_code why, Hold::Time when);

private:
    void tell(LeaseTrace trace);

    const std::shared_ptr<ClientView> view_;
    const LeaseKind kind_;
    const std::string path_;
    const LeaseTerms terms_;
    const BootNow now_;
    const Hold::Time requested_;
    Hold::Time granted_;
    bool asked_for_ = false;
};

} // namespace docent::detail
