// SPDX-License-Identifier: Apache-2.0
#pragma once

// One attempt to get to the head of a queue: events in, actions out. Does no I/O and reads no clock.

#include "queue/acquire_action.hpp"
#include "queue/admission.hpp"
#include "queue/claim.hpp"
#include "queue/company/known_queue.hpp"
#include "queue/connected_step.hpp"
#include "queue/contender.hpp"
#include "queue/patience.hpp"

#include <docent/retry_policy.hpp>
#include <docent/session_event.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

struct AcquireRules {
    QueueNames names;
    RetryPolicy retry;
    Patience patience = Patience::waits;
    Deletion last_writer = Deletion::admits; // see admit()
};

/// The replies to Enter. `create`: as error_of_create() has it. `listed`: the list was asked for, too; else there is only what
/// is `known`.
struct Entered {
    error_code create = {};
    std::string name = {};
    std::int64_t czxid = 0;
    std::int64_t ephemeral_owner = 0;
    error_code list = {};
    std::vector<std::string> children = {};
    bool listed = true;
    std::optional<KnownPart> known = {};
};

class AcquireMachine {
public:
    using Actions = AcquireActions;

    AcquireMachine(AcquireRules rules, AcquireSources& sources);

    Actions start(const SessionEvent& session);

    // Replies to the actions of these names.
    Actions on_entered(const Entered& entered);
    Actions on_found(error_code ec, const std::vector<std::string>& children);
    Actions on_listed(error_code ec, const std::vector<std::string>& children);
    Actions on_looked(const std::optional<KnownPart>& known);
    Actions on_own_read(error_code ec, const Stat& stat);
    /// `owner`: the session that owns it; 0 if there is no such node.
    Actions on_ahead_read(error_code ec, std::int64_t owner = 0);
    Actions on_paused();
    Actions on_no_session(); // AwaitSession: in vain

    Actions on_own_event(WatchEventType type);
    Actions on_ahead_event(WatchEventType type);
    Actions on_session(const SessionEvent& event);
    Actions on_end(error_code ec); // the call's time is over, or the caller has cancelled

    /// The last one that was to be watched.
    const std::string& ahead() const { return ahead_.name; }
    /// Of our node; empty if it is not known.
    std::string_view name() const { return claim_ ? claim_->name() : std::string_view(); }
    /// Of our node, also when the attempt has ended because that has gone; else empty.
    std::string_view guid() const { return claim_ ? claim_->guid() : std::string_view(); }

private:
    enum class Step {
        waiting,   // for a connection
        entering,  // for the reply to Enter
        finding,   // to FindOwn
        listing,   // to List
        looking,   // to Look
        verifying, // to WatchOwn, to learn whether what was found is ours
        watching,  // for the deletion of `ahead_`
        proving,   // to WatchOwn, to learn whether our node has outlived the one ahead
        pausing,   // before the next try
        done,
    };
    enum class Need { enter, find, list };
    enum class Watch { unset, asked, set };

    Actions go(const ConnectedStep<Need>::Next& next);
    Actions ask(Need need);
    Actions wait_for_connection();
    Actions await_session() const;
    Actions on_list(error_code ec, const std::vector<std::string>& children);
    Actions decide(const std::vector<std::string>& children);
    Actions decide_by(const std::optional<KnownPart>& known);
    Actions list_and_watch(const std::string& nearest);
    Actions wait_for(const WaitFor& ahead);
    Actions watch_own();
    Actions watch_ahead();
    Actions on_ahead_gone();
    Actions grant();
    Actions start_over();
    Actions drop_claim();
    Actions own_node_gone();
    Actions finish(error_code ec);

    struct Kept { // of the rules: the step has the rest
        QueueNames names;
        Patience patience;
        Deletion last_writer;
    };

    const Kept rules_;
    ConnectedStep<Need> connected_step_;
    Step step_ = Step::waiting;
    std::optional<Claim> claim_;

    std::uint64_t own_asked_on_ = 0; // connection that carries the read of our own node
    std::uint64_t ahead_asked_on_ = 0;

    WaitFor ahead_{};
    Watch own_watch_ = Watch::unset;
    Watch ahead_watch_ = Watch::unset;
    bool ahead_is_ours_ = false;     // of our own session
    bool disturbed_ = false;         // the connection broke since the queue was listed: watch events may come in any order
    std::vector<std::string> found_; // the list in which our node was found
    error_code last_error_;
};

} // namespace docent::detail
