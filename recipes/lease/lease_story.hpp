// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a tracer is told of one wish for a lock, and of the lease that came of it.

#include "client/core/operation.hpp"
#include "lease/hold.hpp"

#include <docent/recipes/lease.hpp>
#include <docent/tracing/lease_trace.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace docent::detail {

/// Who is told of: a lease of this kind, of this lock.
struct LeaseName {
    LeaseKind kind;
    std::string path;
    std::string label;
};

/// Of a place in a queue with this token.
LeaseKind kind_of(std::string_view token) noexcept;

/// Members may be called from any thread, one after the other.
class LeaseStory {
public:
    /// Begins with the request. Null if nobody listens: who has no story tells nothing.
    static std::shared_ptr<LeaseStory> begin(std::shared_ptr<ClientView> view, LeaseName name, BootNow now);
    /// Of a lease that takes the place of another one, or stands beside it; null if that has none.
    static std::shared_ptr<LeaseStory> follow(const std::shared_ptr<LeaseStory>& story, LeaseKind kind);

    LeaseStory(std::shared_ptr<ClientView> view, LeaseName name, BootNow now);

    void on_granted();
    void on_refused(error_code ec);
    /// The first time counts: a hold hears of it in several ways.
    void on_revocation_request();
    /// `released` or `expired`.
    void on_over(LeaseState how, std::chrono::nanoseconds margin);
    /// Told when the reason is known; `when` it was lost.
    void on_lost(error_code why, Hold::Time when);

private:
    void tell(LeaseTrace trace);

    const std::shared_ptr<ClientView> view_;
    const LeaseName name_;
    const BootNow now_;
    const Hold::Time requested_;
    Hold::Time granted_;
    bool asked_for_ = false;
};

} // namespace docent::detail
