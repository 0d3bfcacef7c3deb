// SPDX-License-Identifier: Apache-2.0
#pragma once

// Clients on one ensemble, and chance. Each request, reply, event, timer and delay is a step, and a seed decides which of the
// possible steps comes next. Faults are steps, too.

#include "fake_client.hpp"
#include "queue/contender.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// A part of a test that acts by itself. When it is ready, its act() is one of the steps that may come next.
class FakeActor {
public:
    virtual ~FakeActor() = default;
    virtual bool ready() const = 0;
    virtual void act() = 0;
};

/// How an operation was answered. For an operation with a value, tests derive a struct that also has the value.
struct Answer {
    int times = 0;
    error_code ec;

    bool arrived() const { return times > 0; }
};
/// A handler that notes the answer, and its value in this member.
template <typename Noted, typename Value> auto into(const std::shared_ptr<Noted>& noted, Value Noted::*member) {
    return [noted, member](error_code ec, Value value) {
        ++noted->times;
        noted->ec = ec;
        (*noted).*member = std::move(value);
    };
}
/// A handler that notes the answer without its values.
inline auto into(const std::shared_ptr<Answer>& noted) {
    return [noted](error_code ec, const auto&...) {
        ++noted->times;
        noted->ec = ec;
    };
}

/// A step that may come next, without a fault.
struct FakeStep {
    enum class Kind {
        run_posted,
        serve,
        deliver,
        fire_timer,
        beat,
        pass_bound,
        notice_cut,
        connect,
        apply_stray,
        learn,  // by a server
        expire, // of a session
        act,    // by an actor
    };
    Kind kind;
    std::size_t who = 0; // client, server, or actor
    std::int64_t session = 0;
    friend bool operator==(const FakeStep&, const FakeStep&) = default;
};

class FakeWorld {
public:
    enum class Fault {
        break_link,
        cut_link,
        freeze,
        end_session,
        delete_node,
        change_node,
        reap,
        throttle,
        lose_quorum,
        lose_event,
        hide_node, // denies READ to every client, or allows it again
        count
    };

    FakeWorld(std::uint64_t seed, int clients, std::string lock_path, QueueNames names = mutex_names());
    ~FakeWorld();
    FakeWorld(const FakeWorld&) = delete;
    FakeWorld& operator=(const FakeWorld&) = delete;

    FakeClient& client(std::size_t index) { return *clients_[index]; }
    std::shared_ptr<FakeClient> share(std::size_t index) { return clients_[index]; }
    FakeSurroundings& surroundings() { return shared_; }
    void add(FakeActor& actor) { actors_.push_back(&actor); }
    void add_queue(std::string path, QueueNames names = mutex_names()) {
        queues_.push_back({std::move(path), std::move(names)});
    }

    /// Chance that a step is a fault.
    double fault_rate = 0;
    /// The longest time of a step.
    std::chrono::milliseconds longest_step{3};

    /// Steps that the world often passes over, as if their client or server were slow.
    std::vector<FakeStep> slow;
    /// Called before each step.
    std::function<void(const FakeStep&)> on_step;

    /// Does a random step. Returns false if nothing can happen any more.
    bool step();
    /// Does steps until `done` returns true. Returns false if it does not within `limit` steps.
    bool run_until(const std::function<bool()>& done, int limit = 200'000);

    void inflict(Fault fault);
    void inflict(Fault fault, std::size_t client);

    /// An election brings back an older state, and all clients have to connect again.
    void go_back_to(const FakeEnsemble::Past& past);

    // ---- the queues as they are; without a path, the first queue
    std::vector<std::string> queue() const { return queue(queues_.front().path); }
    std::vector<std::string> queue(const std::string& path) const;
    /// Returns the path of the first node in the queue; empty if there is none. Leaves out nodes whose numbers do not tell the
    /// order of creation (is_usable()).
    std::string first() const { return first(queues_.front().path); }
    std::string first(const std::string& lock_path) const;
    /// Returns the nodes of all queues.
    std::vector<std::string> nodes() const;
    bool was_ever_first(const std::string& path) const { return ever_first_.contains(path); }
    /// Returns true if a fault has taken the node from its living owner.
    bool was_taken(const std::string& path) const { return taken_.contains(path); }
    bool was_anything_taken() const { return !taken_.empty(); }
    /// The guids that two nodes had at once: their create was applied twice.
    const std::set<std::string>& twins() const { return twins_; }
    bool all_idle() const;

private:
    void advance();
    void on_commit();
    void look_what_is_possible();
    FakeStep any_possible();
    void make(const FakeStep& step);

    struct Queue {
        std::string path;
        QueueNames names;
    };
    const Queue& queue_at(const std::string& path) const;

    FakeSurroundings shared_;
    std::vector<Queue> queues_;
    std::vector<std::shared_ptr<FakeClient>> clients_;
    std::vector<FakeActor*> actors_;
    std::vector<FakeStep> possible_; // a member to reuse its memory
    std::set<std::string> ever_first_;
    std::set<std::string> taken_;
    std::set<std::string> twins_;
};

} // namespace docent::detail
