// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "queue/acquire_action.hpp"

#include <docent/detail/deadline.hpp>
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

enum class WaitMode {
    waits,          // waits for the lock; and for a connection as long as the session may come back
    waits_for_turn, // waits for the lock; but for a connection no longer than `tries_once` does
    tries_once,
};

inline WaitMode wait_mode_of(const AcquireWait& wait) {
    return wait.kind == AcquireWait::Kind::not_at_all ? WaitMode::tries_once : WaitMode::waits;
}

/// Turns a wait whose deadline is not after `now` into a try: the deadline would pass before the answer comes. Use it when the
/// user makes the call. A deadline that passes later, before the strand begins the call, must not become a try, because a try
/// may wait for a connection.
inline AcquireWait without_time_a_try(const AcquireWait& wait, std::chrono::steady_clock::time_point now) {
    const bool no_time = wait.kind == AcquireWait::Kind::until && wait.deadline <= now;
    return no_time ? AcquireWait{AcquireWait::Kind::not_at_all} : wait;
}

// The common part of machines whose steps need a connection. Pure.

/// The clock, GUIDs and random numbers of a machine, from its driver or its test. Must outlive the machine.
class AcquireSources {
public:
    virtual ~AcquireSources() = default;
    virtual std::string guid() = 0;
    virtual std::uint64_t random() = 0;
    virtual std::chrono::steady_clock::time_point now() = 0;
    /// Whether the session of this epoch certainly lives at this moment.
    virtual bool certain(std::uint64_t epoch) = 0;
};

/// Whether the connection broke before the answer came. A session event follows: the session comes back, or is lost.
inline bool cut_off(const error_code& ec) {
    return ec == error::not_connected || ec == condition::outcome_unknown || ec == condition::session_ended;
}

/// The state of the present step: its need (`Need`), the connection that carries its request, the retries left, and whether the
/// session certainly lives. The members return what to do next. The machine knows which request serves each need.
template <typename Need> class ConnectedStep {
public:
    /// Send the request of the need.
    struct Ask {
        Need need;
    };
    /// There is no connection, or its session event has not arrived yet. Continue on the next connection.
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
    /// Whether to wait for a connection without a limit. A session can survive an outage of any length, with the node that
    /// keeps the place in the queue. If it is unknown whether the session comes back, only `WaitMode::waits` waits.
    bool waits_for_ever(WaitMode wait_mode) const {
        const bool unknown = session_.state == SessionState::lost || session_.state == SessionState::connecting;
        return wait_mode == WaitMode::waits || !unknown;
    }
    /// Whether the retry policy allows another session than that of the first request.
    bool may_change_session() const { return retry_.retries_ended_session(); }
    /// The number of the present connection.
    std::uint64_t connection() const { return connections_; }
    bool asked_on_this_connection() const { return asked_on_ == connections_; }

    // ---- what is next
    Next proceed(Need need) {
        need_ = need;
        if (!connected()) return AwaitConnection{};
        if (!first_epoch_) first_epoch_ = session_.epoch;
        if (*first_epoch_ != session_.epoch && !may_change_session()) return Fail{server_error::session_expired};
        asked_on_ = connections_;
        return Ask{need};
    }
    /// Continues with the need from before a pause or an outage.
    Next resume() { return proceed(need_); }
    /// The answer was lost. The session events of the break, and of the next connection, may have arrived before or not.
    Next interrupted(Need need, std::uint64_t asked_on) {
        if (connections_ != asked_on) return proceed(need);
        need_ = need;
        return AwaitConnection{};
    }
    Next interrupted(Need need) { return interrupted(need, asked_on_); }
    /// The answer is an error, or was lost.
    Next failed(Need need, error_code ec, std::uint64_t asked_on) {
        if (cut_off(ec)) return interrupted(need, asked_on);
        return ec == condition::retryable ? pause(need, ec) : Next(Fail{ec});
    }
    Next failed(Need need, error_code ec) { return failed(need, ec, asked_on_); }
    Next pause(Need need, error_code ec) {
        begin_tries();
        if (!budget_) budget_ = std::make_unique<RetryBudget>(retry_, *tries_began_);
        const auto length = budget_->next(ec, sources_->now(), sources_->random());
        if (!length) return Fail{ec};
        need_ = need;
        return Pause{*length};
    }
    /// A parent is missing. Tries again with parents, several times, because servers may remove them again.
    Next with_parents(Need need, error_code ec) {
        if (missing_parents_ == max_missing_parents) return Fail{ec};
        ++missing_parents_;
        return proceed(need);
    }
    bool makes_parents() const { return missing_parents_ > 0; }

    /// Returns nothing if the session of this epoch certainly lives. Otherwise asks for `need`, whose answer is a sign of life:
    /// first at once, then after pauses. So old answers grant no lock to a process that stood still.
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
    /// The waiter waits for others: make_certain() may ask at once again.
    void parked() { rechecked_ = false; }
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
    std::uint64_t connections_ = 0;            // the number of connections so far
    std::optional<std::uint64_t> first_epoch_; // the session of the first request
    std::uint64_t asked_on_ = 0;               // the connection that carries the request of the present step
    bool rechecked_ = false;                   // make_certain() has asked since parked() or start_over()
    int missing_parents_ = 0;
    std::optional<std::chrono::steady_clock::time_point> tries_began_; // since the last success
    std::unique_ptr<RetryBudget> budget_;                              // made after the first failure
};

} // namespace docent::detail
