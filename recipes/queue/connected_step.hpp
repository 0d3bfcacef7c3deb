// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all machines have in common whose steps need a connection. Does no I/O and reads no clock.

#include "client/core/retry_budget.hpp"
#include "queue/acquire_action.hpp"
#include "queue/patience.hpp"

#include <docent/retry_policy.hpp>
#include <docent/session_event.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace docent::detail {

/// What a machine must ask for; its driver and its tests answer. Outlives the machine.
class AcquireSources {
public:
    virtual ~AcquireSources() = default;
    virtual std::string guid() = 0;
    virtual std::uint64_t random() = 0;
    virtual std::chrono::steady_clock::time_point now() = 0;
    /// Whether the session of this epoch is certainly alive at this moment.
    virtual bool certain(std::uint64_t epoch) = 0;
};

/// The connection broke before the answer came. What follows is up to the session: it comes back, or is lost.
inline bool cut_off(const error_code& ec) {
    return ec == error::not_connected || ec == condition::outcome_unknown || ec == condition::session_ended;
}

/// One step after the other, of which each needs a connection: what is needed next (`Need`), on which connection it was asked
/// for, how often it may be tried again, and whether the session is certain to be alive. Its members say what to do; the
/// machine, which knows what its needs mean, does it.
template <typename Need> class ConnectedStep {
public:
    /// Send what is needed.
    struct Ask {
        Need need;
    };
    /// There is no connection, or its news have not come yet: go on with the next one.
    struct AwaitConnection {};
    using Next = std::variant<Ask, AwaitConnection, Pause, Fail>;

    ConnectedStep(RetryPolicy retry, AcquireSources& sources) : retry_(retry), sources_(&sources) {}

    // ---- the session
    void begin_in(const SessionEvent& session) { session_ = session; }
    void on_session(const SessionEvent& event) {
        session_ = event;
        if (connected()) ++connections_;
    }
    const SessionEvent& session() const { return session_; }
    bool connected() const { return session_.state == SessionState::connected; }
    /// Whether to wait for a connection without a limit. A session can outlive an outage of any length, and with it the node
    /// that keeps the place in the queue. Only `Patience::waits` waits when nobody knows whether the session will come back.
    bool waits_for_ever(Patience patience) const {
        const bool unknown = session_.state == SessionState::lost || session_.state == SessionState::connecting;
        return patience == Patience::waits || !unknown;
    }
    /// Which of the connections so far is the present one.
    std::uint64_t connection() const { return connections_; }
    bool asked_on_this_connection() const { return asked_on_ == connections_; }

    // ---- what is next
    Next proceed(Need need) {
        need_ = need;
        if (!connected()) return AwaitConnection{};
        asked_on_ = connections_;
        return Ask{need};
    }
    /// With what was needed before a pause, or before the connection was there.
    Next resume() { return proceed(need_); }
    /// The answer was lost. That may be known before the news that the connection broke, or after those of the next one.
    Next interrupted(Need need, std::uint64_t asked_on) {
        if (connections_ != asked_on) return proceed(need);
        need_ = need;
        return AwaitConnection{};
    }
    Next interrupted(Need need) { return interrupted(need, asked_on_); }
    Next pause(Need need, error_code ec) {
        begin_tries();
        if (!budget_) budget_ = std::make_unique<RetryBudget>(retry_, *tries_began_);
        const auto length = budget_->next(ec, sources_->now(), sources_->random());
        if (!length) return Fail{ec};
        need_ = need;
        return Pause{*length};
    }
    /// A parent is missing: try with them, some times, for they may go again.
    Next with_parents(Need need, error_code ec) {
        if (missing_parents_ == max_missing_parents) return Fail{ec};
        ++missing_parents_;
        return proceed(need);
    }
    bool makes_parents() const { return missing_parents_ > 0; }

    /// Nothing if the session of this epoch is certainly alive. Else it is asked for a sign of life by what is needed, and
    /// again after a pause: a process that stood still must not be given anything by news from before.
    std::optional<Next> make_certain(std::uint64_t epoch, Need need) {
        if (sources_->certain(epoch)) return std::nullopt;
        return std::exchange(rechecked_, true) ? pause(need, error::not_connected) : proceed(need);
    }

    // ---- tries
    void begin_tries() {
        if (!tries_began_) tries_began_ = sources_->now();
    }
    void succeeded() {
        tries_began_.reset();
        budget_.reset();
    }
    /// It waits for others now: signs of life from before count no more.
    void parked() { rechecked_ = false; }
    /// From the beginning.
    void start_over() {
        succeeded();
        rechecked_ = false;
        missing_parents_ = 0;
    }

    std::string new_guid() const { return sources_->guid(); }

private:
    static constexpr int max_missing_parents = 10;

    RetryPolicy retry_;
    AcquireSources* sources_;
    SessionEvent session_;
    Need need_{};
    std::uint64_t connections_ = 0; // heard of so far
    std::uint64_t asked_on_ = 0;    // which of them carries the request of the present step
    bool rechecked_ = false;        // the session has given a sign of life since it last was certain
    int missing_parents_ = 0;
    std::optional<std::chrono::steady_clock::time_point> tries_began_; // since the last success
    std::unique_ptr<RetryBudget> budget_;                              // once one of them has failed
};

} // namespace docent::detail
