// SPDX-License-Identifier: Apache-2.0
#pragma once

// A world so small that all that can happen in it can be gone through. It does nothing by itself: step after step is chosen.

#include "fake_world.hpp"
#include "observers/ledger.hpp"
#include "observers/referee.hpp"
#include "observers/text_builder.hpp"
#include "picture/history.hpp"
#include "picture/peek.hpp"
#include "role.hpp"

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

/// What there is at the beginning.
struct Plan {
    std::string name;
    std::vector<std::pair<std::string, detail::QueueNames>> queues; // their containers are there already, empty
    struct Part {
        std::size_t client;
        Wish wish;
    };
    std::vector<Part> parts;
    std::vector<std::size_t> placement; // of each client: the server that it begins at. 0: always up to date, 1: lags behind
    std::vector<std::size_t> group;     // of each client: those of one group may change places, and nobody would see it
    std::int32_t limit = 0;             // so many permits may be out at once, where permits are taken
};

/// What can happen next.
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
        lose, // the connection that is doomed
        look, // again, at what it waits for
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
    };
    Kind kind;
    std::size_t who = 0;    // client, or contender
    std::size_t which = 0;  // server, or manner; of a stall: 1 if the session ends meanwhile
    std::string path = {};  // of a node
    std::size_t learns = 0; // changes, by the follower, before a client connects to it
    bool is_late = false;   // nobody else does anything until it has come to something: see steps()
    bool is_unseen = false; // of a connect: it makes no difference when, if it comes before the client's next request is served
    bool is_fault() const { return kind >= Kind::doom; }
};

/// What is left out because it comes to the same: see README.md. Each can be switched off, to compare.
struct Reductions {
    bool orders = true;     // of what a client does alone, of when the follower learns, and of what is answered at once
    bool hearing = true;    // whoever can hear something does so, though its connection may break: it is doomed first then
    bool beats = true;      // heartbeats of who has anything else under way
    bool forgetting = true; // in pictures: nodes that are gone for good, and steps of which a contender was not told
    bool stalls = true;     // who stands still either goes on at once, or not before its session has ended
    bool connects = true;   // of who has no watch to set again, and holds nothing: right before its next request is served
    bool releases = true;   // of one who has held since before its client's server gave the answer that is to be heard
    bool dooms = true;      // what is done for a doomed connection, and changes nothing
    bool news = true;       // of the follower: what nobody who may be there looks at, it learns at once
    bool watches = true;    // in pictures: watches on nodes that nobody else removes
    bool places = true;     // of the follower, and in lists: nodes of others behind all of a client's own
    bool removals = true;   // of one who only removes: nothing is done about the answers, and it may as well be at the leader
    bool knowing = true;    // in pictures: what is known of a queue, and nobody asks for before a list has replaced it
};

class SmallWorld {
public:
    using Choose = std::function<std::size_t(std::size_t)>;

    SmallWorld(const Plan& plan, std::size_t faults, Choose choose, const Reductions& reductions = {});

    /// All that can happen, faults last; less if what is left out comes to the same.
    std::vector<Step> steps();
    void take(const Step& step);
    /// More than one thing may come of it.
    bool may_choose(const Step& step);
    std::string text_of(const Step& step); // before it is taken
    /// What is wrong now; empty if nothing is.
    const std::string& complaint() const { return complaint_; }
    /// Another world comes to the same, in which clients of one group have changed places.
    bool is_redundant();
    /// What is wrong when nothing can happen any more.
    std::string complaint_at_end();
    /// All that what comes next depends on.
    std::string picture();
    struct Fingerprints {
        std::uint64_t present = 0;
        std::optional<std::uint64_t> stricter; // see stricter_fingerprint()
    };
    /// Nothing if `was_here` says so of the picture under the names that things have here: who was in that one was in those,
    /// and need not give the same names to all that come to the same.
    std::optional<Fingerprints> fingerprints_unless(const std::function<bool(std::uint64_t)>& was_here);
    Fingerprints fingerprints() {
        return *fingerprints_unless([](std::uint64_t) { return false; });
    }
    std::uint64_t fingerprint() { return fingerprints().present; }
    /// Of the same state, if nothing that an administrator removed were an excuse for anything: who has seen that one has seen
    /// this one. Null if nothing was removed.
    std::optional<std::uint64_t> stricter_fingerprint() { return fingerprints().stricter; }

private:
    using TextBuilder = detail::TextBuilder;
    struct Part {
        bool silent = false;                     // its bound has passed, and the leader has not heard of it since
        bool doomed = false;                     // it hears nothing any more by this connection, which will break
        bool is_new = false;                     // nothing has been asked for in its session
        std::vector<std::uint64_t> asked_before; // so many requests, before each step in which it asked for something
        bool joined = false;                     // it has connected in this turn, unseen
    };
    using Kind = Step::Kind;

    detail::FakeClient& client(std::size_t index) { return world_.client(index); }
    detail::FakeEnsemble& ensemble() { return world_.surroundings().ensemble; }
    bool is_over(std::size_t client); // it will never do anything any more
    bool is_untouched(std::size_t client);
    bool connects_unseen(std::size_t client);
    bool is_served_in_vain(std::size_t client);
    bool has_proceeded_before(std::size_t contender);
    bool is_let_go(std::size_t contender);
    bool keeps(std::size_t client);
    void note_holders(std::size_t client);
    void note_first_request(std::size_t client);
    /// In the name of a contender: what is asked for meanwhile is its own.
    template <typename Function> void as_contender(std::size_t contender, const Function& function) {
        client(contenders_[contender].client()).work_for(contender + 1, function);
    }
    std::optional<Together> together_with(std::size_t client, const std::optional<Asked>& asked) const;
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
    bool is_looked_at(const Visitors& visitors, const detail::FakeEndSession& end, std::int64_t zxid);
    bool is_news(const Visitors& visitors, const detail::FakeTxn& change, std::int64_t zxid);
    struct Unseen {
        std::int64_t zxid;
        std::vector<const detail::FakeTxn*> news;
    };
    /// What somebody can see of changes.
    struct Changes {
        std::set<std::string> paths;   // that come, go or change
        std::set<std::string> parents; // whose children do
        std::set<std::int64_t> ends;   // of sessions
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
    void write(TextBuilder& out, std::size_t client, const std::vector<Unseen>& news);
    void write_counts(TextBuilder& out);
    void write_tokens(TextBuilder& out);
    bool may_be_owned(const std::string& path);
    void write_strictly(TextBuilder& out);

    const Plan& plan_;
    std::size_t faults_left_;
    const Reductions reductions_;
    detail::FakeWorld world_;
    detail::Ledger ledger_;
    std::deque<Contender> contenders_;
    std::vector<History> histories_; // of each contender
    std::int64_t noted_until_ = -1;  // zxid
    std::vector<int> lock_of_;       // each transaction that made a node; 0: none, or n for the queue before n
    std::vector<Part> parts_;
    detail::Referee referee_;
    std::vector<bool> could_proceed_; // each contender, before the answer that its client hears next was given
    std::vector<bool> entered_;       // its first request has been served
    std::string chosen_;              // while a step was taken
    std::string complaint_;
    std::optional<std::size_t> turn_; // whose turn it is: somebody did what need not be done before this
    bool node_was_removed_ = false;
    bool undisturbed_ = true;                        // no fault so far
    std::map<std::string, std::int64_t> taken_from_; // each node that an administrator took: the session that had it
    std::size_t reaped_ = 0;                         // containers
};

} // namespace docent::explorer
