// SPDX-License-Identifier: Apache-2.0
#pragma once

// A world so small that every possible path can be searched. It does nothing by itself: each step is chosen.

#include "fake_world.hpp"
#include "observers/referee.hpp"
#include "observers/text_builder.hpp"
#include "picture/history.hpp"
#include "picture/peek.hpp"
#include "role.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace docent::explorer {

/// The beginning of a world.
struct Plan {
    std::string name;
    std::vector<std::pair<std::string, detail::QueueNames>> queues; // the containers exist at the beginning, without children
    struct Part {
        std::size_t client;
        LockRequest request;
    };
    std::vector<Part> parts;
    std::vector<std::size_t> placement; // the server of each client at the beginning. 0: always up to date, 1: lags behind
    std::vector<std::size_t> group;     // of each client: clients of one group can swap places, and no client sees a difference
    std::int32_t limit = 0;             // of the semaphore's permits; 0: there is no semaphore
    bool hides = false;                 // an administrator may make nodes unreadable
};

/// A step that can happen next.
struct Step {
    enum class Kind {
        start,
        proceed,
        serve,
        deliver,
        fire_timer,
        pass_bound,
        beat,
        connect,
        wake,
        learn,
        expire,
        lose,      // the connection that is doomed breaks
        look,      // again, after a lost event
        show_node, // that is hidden
        // ---- faults
        doom,
        break_link,
        outage,
        stall,
        cancel,
        end_session,
        remove_node,
        reap,
        lose_event,
        hide_node, // denies READ to every client
    };
    Kind kind;
    std::size_t who = 0;    // client or contender
    std::size_t which = 0;  // server or variant; 1 for a stall: the session ends meanwhile
    std::string path = {};  // of a node
    std::size_t learns = 0; // number of changes that the follower learns before a client connects to it
    bool is_late = false;   // no other client does anything until this step has an effect: see steps()
    bool is_unseen = false; // of a connect: its time makes no difference, if it precedes the client's next served request
    bool is_fault() const { return kind >= Kind::doom; }
};

/// Parts of the search that are left out because they lead to the same states: see README.md. Each reduction can be switched
/// off for a comparison.
struct Reductions {
    bool orders = true;     // of steps of a client alone, of the follower's learning, and of requests that are answered at once
    bool hearing = true;    // a client hears what it can, although its connection may break: in that case, it is doomed first
    bool beats = true;      // heartbeats of a client with other work under way
    bool forgetting = true; // in pictures: nodes that are gone for good, and steps that are hidden from a contender
    bool stalls = true;     // a stopped process goes on at once, or after its session has ended
    bool connects = true;   // of a client without watches and holds: right before its next request is served
    bool releases = true;   // of a holder that could release before the server gave the reply that it hears next
    bool dooms = true;      // work for a doomed connection that changes nothing
    bool news = true;       // the follower learns a change at once if no client looks at it
    bool watches = true;    // in pictures: watches on nodes that no other client removes
    bool places = true;     // at the follower and in lists: nodes behind all of a client's nodes
    bool removals = true;   // of a client that only removes: the answers do not matter, and it may use the leader's server
    bool knowing = true;    // in pictures: knowledge of a queue that a list replaces before it is used
};

class SmallWorld {
public:
    using Choose = std::function<std::size_t(std::size_t)>;

    SmallWorld(const Plan& plan, std::size_t faults, Choose choose, const Reductions& reductions = {});

    /// Returns the possible steps, faults last. Leaves out steps that lead to the same states.
    std::vector<Step> steps();
    void take(const Step& step);
    /// Returns true if the step may have more than one result.
    bool may_choose(const Step& step);
    std::string text_of(const Step& step); // call it before take()
    /// Returns the violation; empty if there is none.
    const std::string& complaint() const { return complaint_; }
    /// Returns true if another world leads to the same states: clients of one group have swapped places there.
    bool is_redundant();
    /// Returns the violation in a state without a next step; empty if there is none.
    std::string complaint_at_end();
    /// Returns a text with everything on which later steps depend.
    std::string picture();
    struct Fingerprints {
        std::uint64_t present = 0;
        /// The fingerprint of the same state, if no deletion by an administrator excused anything. If that state was visited,
        /// this state need not be. Nothing if no node was deleted.
        std::optional<std::uint64_t> stricter;
    };
    /// Returns nothing if `was_seen` returns true for the fingerprint with actual names. A state that was visited with the same
    /// actual names was visited with the replaced names, too.
    std::optional<Fingerprints> fingerprints_unless(const std::function<bool(std::uint64_t)>& was_seen);
    Fingerprints fingerprints() {
        return *fingerprints_unless([](std::uint64_t) { return false; });
    }
    std::uint64_t fingerprint() { return fingerprints().present; }

private:
    using TextBuilder = detail::TextBuilder;
    struct Part {
        bool silent = false;                     // its bound has passed, and the leader has not heard of it since
        bool doomed = false;                     // it hears no more on this connection, which will break
        bool is_new = false;                     // its session has not sent a request yet
        std::vector<std::uint64_t> asked_before; // number of requests before each step that sent one
        bool joined = false;                     // it has connected unseen in this turn
    };
    using Kind = Step::Kind;

    detail::FakeClient& client(std::size_t index) { return world_.client(index); }
    detail::FakeEnsemble& ensemble() { return world_.surroundings().ensemble; }
    /// Returns true if `is` returns true for a contender of this client.
    bool any_contender_of(std::size_t client, const auto& is) const {
        return std::any_of(contenders_.begin(), contenders_.end(),
                           [&](const Contender& one) { return one.client() == client && is(one); });
    }
    bool is_over(std::size_t client); // it will not do anything more
    bool is_untouched(std::size_t client);
    bool connects_unseen(std::size_t client);
    bool is_served_in_vain(std::size_t client);
    bool has_proceeded_before(std::size_t contender);
    bool is_let_go(std::size_t contender);
    bool keeps(std::size_t client);
    void note_holders(std::size_t client);
    void note_first_request(std::size_t client);
    /// Runs a function for a contender. The requests that it sends belong to the contender.
    template <typename Function> void as_contender(std::size_t contender, const Function& function) {
        client(contenders_[contender].client()).work_for(contender + 1, function);
    }
    std::optional<Together> together_with(std::size_t client, const std::optional<detail::FakeClient::Asked>& asked) const;
    bool is_open(std::size_t contender, const Together& together);
    void remember(std::size_t client, const Step& step, const std::string& heard, const std::optional<Together>& answered);
    std::optional<std::size_t> asker(std::size_t contender) const;
    void end_histories(std::size_t client, std::uint64_t asked_before);
    bool may_be_served(std::size_t client);
    // ---- the follower
    bool is_at_follower(std::size_t client);
    bool is_away(std::size_t client);
    bool may_move(std::size_t client);
    bool anybody(bool (SmallWorld::*is)(std::size_t client));
    bool follower_may_matter();
    bool reads_what_changes(std::size_t client);
    bool needs_news(std::size_t client);
    bool follower_learns();
    bool may_visit(std::size_t client);
    bool looks_at(std::size_t client, const std::string& path, std::int64_t owner, std::int64_t zxid);
    bool is_counted(const std::string& queue) const;
    bool looks_from_its_nodes(std::size_t client);
    bool may_be_in_its_way(std::size_t client, const std::string& path, std::int64_t zxid);
    bool asks_leader_only(std::size_t client);
    bool removes_first(std::size_t client);
    bool goes_by_place(std::size_t client, const std::string& queue);
    std::size_t at_work(std::size_t client) const;
    std::int64_t owner_of(const std::string& path);
    bool is_queue(const std::string& path) const;
    using Visitors = std::vector<std::size_t>;
    Visitors visitors();
    bool is_looked_at(const Visitors& visitors, const std::string& path, std::int64_t owner, std::int64_t zxid);
    bool is_looked_at(const Visitors& visitors, const detail::TreeEndSession& end, std::int64_t zxid);
    bool is_news(const Visitors& visitors, const detail::TreeTxn& change, std::int64_t zxid);
    struct Unseen {
        std::int64_t zxid;
        std::vector<const detail::TreeTxn*> news;
    };
    /// The parts of changes that a client may see.
    struct Changes {
        std::set<std::string> paths;   // created, removed or changed
        std::set<std::string> parents; // their children change
        std::set<std::int64_t> ends;   // sessions
    };
    static bool may_see(const Changes& changes, const std::string& path) {
        return changes.paths.contains(path) || changes.parents.contains(path);
    }
    Changes unseen_changes();
    void write_news(TextBuilder& out, const Unseen& unseen);
    std::vector<Unseen> unseen();
    void learn_what_is_no_news();
    std::vector<std::size_t> learned_before(std::size_t client, bool is_unseen);
    void learn();
    void let_follower_catch_up();
    void add_own(std::size_t client, std::vector<Step>& steps);
    bool hears(std::size_t client);
    bool passes_bound_as_it_hears(std::size_t client, const std::vector<Step>& own);
    void add_breaks(std::size_t client, Step::Kind kind, std::vector<Step>& steps);
    void add_own_faults(std::size_t client, std::vector<Step>& steps);
    void add_stalls(std::size_t client, std::vector<Step>& steps);
    void add_shared(std::size_t client, std::vector<Step>& steps);
    bool hears_of_end(std::size_t client);
    void add_expiry(std::size_t client, std::vector<Step>& steps);
    void add_shows(std::vector<Step>& steps);
    void add_everybody(std::vector<Step>& steps);
    void add_administrator(std::vector<Step>& steps);
    bool goes_first(std::size_t client);
    void add_first(std::size_t client, std::vector<Step>& steps);
    bool is_served_first(std::size_t client);
    bool is_alone();
    std::vector<Step> late_steps(std::size_t client);
    std::size_t whose(const Step& step) const;
    void note_turn(const Step& step);
    void act(const Step& step, detail::FakeClient& of);
    void note_taken(const std::string& path);
    void stall(const Step& step, detail::FakeClient& of);
    void settle();
    void note_numbers();
    void observe();
    void complain(const std::string& text) {
        if (complaint_.empty()) complaint_ = text;
    }
    std::string name_of(std::size_t contender) const;
    bool is_explained(const error_code& ec, Contender& contender);
    bool entry_matters(std::size_t client);
    bool may_hide();
    bool is_hidden_before(const std::string& path, std::int64_t zxid);
    void write(TextBuilder& out, std::size_t client, const std::vector<Unseen>& news);
    void write_counts(TextBuilder& out);
    void write_tokens(TextBuilder& out);
    bool may_be_owned(const std::string& path);
    void write_with_actual_names(TextBuilder& out);

    const Plan& plan_;
    std::size_t faults_left_;
    const Reductions reductions_;
    detail::FakeWorld world_;
    detail::Ledger ledger_;
    std::deque<Contender> contenders_;
    std::vector<History> histories_; // of each contender
    std::int64_t noted_until_ = -1;  // zxid
    std::vector<int> lock_of_;       // by zxid of a node's create: index of the queue + 1, or beside_a_lock; 0: none
    std::vector<Part> parts_;
    detail::Referee referee_;
    std::vector<bool> could_proceed_; // of each contender: before the reply that its client hears next was given
    std::vector<bool> entered_;       // of each client: its first request has been served
    std::string chosen_;              // text of the choices during a step
    std::string complaint_;
    std::optional<std::size_t> turn_; // the client that has the turn: it has done a step that is done as late as possible
    bool node_was_removed_ = false;
    bool node_was_hidden_ = false;
    bool undisturbed_ = true;                        // no fault so far
    std::map<std::string, std::int64_t> taken_from_; // nodes that an administrator took, with their sessions
};

} // namespace docent::explorer
