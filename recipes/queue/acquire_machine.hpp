// SPDX-License-Identifier: Apache-2.0
#pragma once

// One attempt to acquire a lock: events in, actions out. Pure.

#include "base/protection.hpp"
#include "queue/acquire_action.hpp"
#include "queue/connected_step.hpp"
#include "queue/contender.hpp"
#include "queue/queue_snapshot.hpp"

#include <docent/retry_policy.hpp>
#include <docent/session_event.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::detail {

struct AcquireRules {
    QueueNames names;
    WaitMode wait_mode = WaitMode::waits;
    Deletion last_writer = Deletion::admits; // see admit()
};

/// The replies to Enter. `create`: the result of error_of_create(). `listed`: the driver has sent the list. Otherwise `known`
/// is the neighbours that this client knows.
struct Entered {
    error_code create = {};
    std::string name = {};
    std::int64_t czxid = 0;
    std::int64_t ephemeral_owner = 0;
    error_code list = {};
    std::vector<std::string> children = {};
    bool listed = true;
    std::optional<Neighbours> known = {};
};

/// A place in a queue, or an attempt to get one. It is bound to a session.
class Claim {
public:
    std::uint64_t epoch = 0;
    std::int64_t session_id = 0;
    std::int64_t czxid = 0; // 0: the node was found by its GUID and was not read yet
    bool in_flight = false; // a create is under way
    bool in_doubt = false;  // the reply to a create was lost, and the node was not searched yet

    Claim(std::string guid, const SessionEvent& session)
        : epoch(session.epoch), session_id(session.session_id), text_(std::move(guid)), guid_size_(text_.size()) {}

    bool named() const { return named_; }
    bool may_exist() const { return named() || in_flight || in_doubt; }
    std::string_view guid() const {
        const std::string_view text = text_;
        return named_ ? text.substr(std::min(protection_mark.size(), text.size()), guid_size_) : text;
    }
    /// The name of the node; empty until it is known.
    std::string_view name() const { return named_ ? std::string_view(text_) : std::string_view(); }
    /// `name` must contain the GUID.
    void set_name(std::string name) {
        text_ = std::move(name);
        named_ = true;
    }

private:
    std::string text_; // the GUID, and later the name, which contains it: to save memory
    std::size_t guid_size_;
    bool named_ = false;
};

class AcquireMachine {
public:
    using Actions = AcquireActions;

    AcquireMachine(AcquireRules rules, const RetryPolicy& retry, AcquireSources& sources);

    Actions start(const SessionEvent& session);

    // Replies to the actions with these names.
    Actions on_entered(const Entered& entered);
    Actions on_found(error_code ec, const std::vector<std::string>& children);
    Actions on_listed(error_code ec, const std::vector<std::string>& children);
    Actions on_looked(const std::optional<Neighbours>& known);
    Actions on_own_read(error_code ec, const Stat& stat);
    /// `owner`: the session that owns the node ahead; 0 if the node does not exist.
    Actions on_ahead_read(error_code ec, std::int64_t owner = 0);
    Actions on_paused();
    Actions on_no_session(); // the time of AwaitSession is over

    Actions on_own_event(WatchEventType type);
    Actions on_ahead_event(WatchEventType type);
    Actions on_session(const SessionEvent& event);
    Actions finish(error_code ec); // ends it: the call's time is over, or the caller has cancelled

    /// The name of the node ahead that was last watched.
    const std::string& ahead() const { return ahead_.name; }
    /// The name of the waiter's node; empty if not known.
    std::string_view name() const { return claim_ ? claim_->name() : std::string_view(); }
    /// The GUID of the waiter's node, also when the attempt has ended because the node is gone; else empty.
    std::string_view guid() const { return claim_ ? claim_->guid() : std::string_view(); }

private:
    enum class Step {
        waiting,   // waits for a connection
        entering,  // waits for the reply to Enter
        finding,   // waits for the reply to FindOwn
        listing,   // waits for the reply to List
        looking,   // waits for the reply to Look
        verifying, // waits for the reply to WatchOwn: does the node that was found belong to this session?
        watching,  // waits for the deletion of `ahead_`
        proving,   // waits for the reply to WatchOwn: does the waiter's node still exist?
        pausing,   // waits before the next try
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
    Actions decide_by(const std::optional<Neighbours>& known);
    Actions list_and_watch(const std::string& nearest);
    Actions wait_for(const WaitFor& ahead);
    Actions watch_own();
    Actions watch_ahead();
    Actions on_ahead_gone();
    Actions grant();
    Actions start_over();
    Actions drop_claim();
    Actions own_node_gone();

    const AcquireRules rules_;
    ConnectedStep<Need> connected_step_;
    Step step_ = Step::waiting;
    std::optional<Claim> claim_;

    std::uint64_t own_asked_on_ = 0; // the connection that carries the read of the waiter's node
    std::uint64_t ahead_asked_on_ = 0;

    WaitFor ahead_{};
    Watch own_watch_ = Watch::unset;
    Watch ahead_watch_ = Watch::unset;
    bool ahead_is_ours_ = false;     // the node ahead belongs to this session
    bool disturbed_ = false;         // the connection broke since the last list: watch events may come in any order
    std::vector<std::string> found_; // the list in which the waiter's node was found
    error_code last_error_;
};

} // namespace docent::detail
