// SPDX-License-Identifier: Apache-2.0
#pragma once

// One attempt to get to the head of a queue: events in, actions out. Does no I/O and reads no clock.

#include "client/core/retry_budget.hpp"
#include "queue/acquire_action.hpp"
#include "queue/admission.hpp"
#include "queue/claim.hpp"
#include "queue/contender.hpp"

#include <docent/retry_policy.hpp>
#include <docent/session_event.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace docent::detail {

enum class Patience { waits, tries_once };

struct AcquireRules {
    QueueNames names;
    RetryPolicy retry;
    Patience patience = Patience::waits;
    Deletion last_writer = Deletion::admits; // see admit()
};

/// What the machine must ask for; its driver and its tests answer.
struct AcquireSources {
    std::function<std::string()> guid;
    std::function<std::uint64_t()> random;
    std::function<std::chrono::steady_clock::time_point()> now;
    /// Whether the session of this epoch is certainly alive at this moment.
    std::function<bool(std::uint64_t)> certain;
};

/// The connection broke before the answer came. What follows is up to the session: it comes back, or is lost.
inline bool cut_off(const error_code& ec) {
    return ec == error::not_connected || ec == condition::outcome_unknown || ec == condition::session_ended;
}

/// The replies to Enter. `parents`: the first error of the parents' creates, other than that they exist.
struct Entered {
    error_code create = {};
    std::string name = {};
    std::int64_t czxid = 0;
    std::int64_t ephemeral_owner = 0;
    error_code list = {};
    std::vector<std::string> children = {};
    error_code parents = {};
};

class AcquireMachine {
public:
    using Actions = AcquireActions;

    AcquireMachine(AcquireRules rules, AcquireSources sources);

    Actions start(const SessionEvent& session);

    // Replies to the actions of these names.
    Actions on_entered(const Entered& entered);
    Actions on_found(error_code ec, const std::vector<std::string>& children);
    Actions on_listed(error_code ec, const std::vector<std::string>& children);
    Actions on_own_read(error_code ec, const Stat& stat);
    /// `owner`: the session that owns it; 0 if there is no such node.
    Actions on_ahead_read(error_code ec, std::int64_t owner = 0);
    Actions on_paused();
    Actions on_no_session(); // AwaitSession: in vain

    Actions on_own_event(WatchEventType type);
    Actions on_ahead_event(WatchEventType type);
    Actions on_session(const SessionEvent& event);
    Actions on_deadline();
    Actions on_cancel();

private:
    enum class Step {
        waiting,   // for a connection, to do what `need_` says
        entering,  // for the reply to Enter
        finding,   // to FindOwn
        listing,   // to List
        verifying, // to WatchOwn, to learn whether what was found is ours
        watching,  // for the deletion of `ahead_`
        pausing,   // before doing what `need_` says
        done,
    };
    enum class Need { enter, find, list };
    enum class Watch { unset, asked, set };

    bool connected() const { return session_.state == SessionState::connected; }

    Actions proceed(Need need);
    Actions ask(Need need);
    Actions wait_for_connection(Need need);
    Actions interrupted(Need need, std::uint64_t asked_on);
    Actions pause(Need need, error_code ec);
    Actions on_list(error_code ec, const std::vector<std::string>& children);
    Actions decide(const std::vector<std::string>& children);
    Actions wait_for(const WaitFor& ahead);
    Actions watch_own();
    Actions watch_ahead();
    Actions on_ahead_gone();
    Actions grant();
    Actions start_over();
    Actions drop_claim();
    Actions own_node_gone();
    Actions finish(error_code ec);

    AcquireRules rules_;
    AcquireSources sources_;
    Step step_ = Step::waiting;
    Need need_ = Need::enter;
    std::optional<Claim> claim_;

    SessionEvent session_;
    std::uint64_t connections_ = 0; // heard of so far
    std::uint64_t asked_on_ = 0;    // which of them carries the request of the present step
    std::uint64_t own_asked_on_ = 0;
    std::uint64_t ahead_asked_on_ = 0;

    WaitFor ahead_{};
    Watch own_watch_ = Watch::unset;
    Watch ahead_watch_ = Watch::unset;
    bool ahead_is_ours_ = false;     // of our own session
    bool disturbed_ = false;         // the connection broke since the queue was listed: watch events may come in any order
    bool rechecked_ = false;         // the session was asked for a sign of life, and has given one, since it last was certain
    std::vector<std::string> found_; // the list in which our node was found

    bool make_parents_ = false;
    int missing_parents_ = 0;
    std::optional<RetryBudget> budget_; // since the last success
    error_code last_error_;
};

} // namespace docent::detail
