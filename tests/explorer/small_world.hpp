// SPDX-License-Identifier: Apache-2.0
#pragma once

// A world so small that all that can happen in it can be gone through. It does nothing by itself: step after step is chosen.

#include "fake_world.hpp"
#include "observers/ledger.hpp"
#include "observers/referee.hpp"
#include "role.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
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
        // ---- faults
        break_link,
        outage,
        stall,
        cancel,
        end_session,
        remove_node,
        reap,
    };
    Kind kind;
    std::size_t who = 0;   // client, or contender
    std::size_t which = 0; // server, or manner
    std::string path = {}; // of a node
    bool is_fault() const { return kind >= Kind::break_link; }
};

class SmallWorld {
public:
    using Choose = std::function<std::size_t(std::size_t)>;

    SmallWorld(const Plan& plan, std::size_t faults, Choose choose);

    /// All that can happen, faults last; less if what is left out comes to the same.
    std::vector<Step> steps();
    void take(const Step& step);
    std::string text_of(const Step& step); // before it is taken
    /// What is wrong now; empty if nothing is.
    const std::string& complaint() const { return complaint_; }
    /// Another world comes to the same, in which clients of one group have changed places.
    bool is_redundant();
    /// What is wrong when nothing can happen any more.
    std::string complaint_at_end();
    std::uint64_t fingerprint();

private:
    struct Part {
        std::string history; // of all that it was told since it was last known for what it is
        bool silent = false; // its bound has passed, and the leader has not heard of it since
    };
    using Kind = Step::Kind;

    detail::FakeClient& client(std::size_t index) { return world_.client(index); }
    detail::FakeEnsemble& ensemble() { return world_.surroundings().ensemble; }
    bool is_over(std::size_t client); // it will never do anything any more
    bool is_untouched(std::size_t client);
    void forget_history(std::size_t client);
    bool may_be_served(std::size_t client);
    bool follower_matters();
    void add_own(std::size_t client, std::vector<Step>& steps);
    void add_own_faults(std::size_t client, std::vector<Step>& steps);
    void add_shared(std::vector<Step>& steps);
    void act(const Step& step, detail::FakeClient& of);
    void settle();
    void observe();
    void complain(const std::string& text) {
        if (complaint_.empty()) complaint_ = text;
    }
    std::string name_of(std::size_t contender) const;
    bool is_explained(const error_code& ec, Contender& contender);
    std::string client_picture(std::size_t index);

    const Plan& plan_;
    const std::size_t server_count_ = 2;
    std::size_t faults_left_;
    detail::FakeWorld world_;
    detail::Ledger ledger_;
    std::deque<Contender> contenders_;
    std::vector<Part> parts_;
    detail::Referee referee_;
    std::vector<bool> entered_; // its first request has been served
    std::string chosen_;        // while a step was taken
    std::string complaint_;
    bool node_was_removed_ = false;
    bool undisturbed_ = true; // no fault so far
};

} // namespace docent::explorer
