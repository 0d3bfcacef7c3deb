// SPDX-License-Identifier: Apache-2.0

// The rule for a call whose timeout has passed (docs/client/errors.md), tested for all calls of the client and of all recipes.

#include "eventually.hpp"
#include "proxied_test.hpp"
#include "started.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;
using docent::testing::Direction;
using docent::testing::Opcode;

enum class Asks { answer, effect, turn, news };

struct TimedCall {
    std::string_view name;
    Asks asks;
    std::function<void(error_code&, CallOptions)> make;
};

/// One object of each recipe on one client.
class AllRecipes {
public:
    explicit AllRecipes(Client& client) : client_(client) {}

    std::vector<TimedCall> calls() {
        std::vector<TimedCall> all = calls_of_client();
        for (auto& each : calls_of_locks()) all.push_back(std::move(each));
        for (auto& each : calls_of_others()) all.push_back(std::move(each));
        return all;
    }
    std::vector<TimedCall> calls_of_client() {
        using enum Asks;
        Client& c = client_;
        return {
            {"get", answer, [&](error_code& ec, CallOptions o) { c.get("/a", {}, ec, o); }},
            {"get_watched", answer, [&](error_code& ec, CallOptions o) { c.get_watched("/a", {}, ec, o); }},
            {"exists", answer, [&](error_code& ec, CallOptions o) { c.exists("/a", ec, o); }},
            {"children", answer, [&](error_code& ec, CallOptions o) { c.children("/a", ec, o); }},
            {"get_acl", answer, [&](error_code& ec, CallOptions o) { c.get_acl("/a", ec, o); }},
            {"sync", answer, [&](error_code& ec, CallOptions o) { c.sync("/", ec, o); }},
            {"ensemble_config", answer, [&](error_code& ec, CallOptions o) { c.ensemble_config(ec, o); }},
            {"create", effect, [&](error_code& ec, CallOptions o) { c.create("/c", "", {}, ec, o); }},
            {"create or set", effect,
             [&](error_code& ec, CallOptions o) { c.create("/d", "", {.if_exists = IfExists::set_data}, ec, o); }},
            {"set", effect, [&](error_code& ec, CallOptions o) { c.set("/a", "", {}, ec, o); }},
            {"set same", effect,
             [&](error_code& ec, CallOptions o) {
                 c.set("/a", "", {.version = 0, .if_changed = IfChanged::accept_same}, ec, o);
             }},
            {"remove", effect, [&](error_code& ec, CallOptions o) { c.remove("/b", {}, ec, o); }},
            {"set_acl", effect, [&](error_code& ec, CallOptions o) { c.set_acl("/a", {AclEntry{}}, ec, o); }},
            {"commit", effect, [&](error_code& ec, CallOptions o) { c.commit(Transaction().create("/t"), ec, o); }},
            {"commit exactly once", answer, // the first step makes a marker, which does not count as a change
             [&](error_code& ec, CallOptions o) { c.commit(Transaction().create("/u").exactly_once(), ec, o); }},
        };
    }
    std::vector<TimedCall> calls_of_locks() {
        using enum Asks;
        return {
            {"mutex", turn, [&](error_code& ec, CallOptions o) { std::ignore = mutex_.acquire(ec, o); }},
            {"mutex of a process", turn, [&](error_code& ec, CallOptions o) { std::ignore = kept_.acquire(ec, o); }},
            {"mutex for a time", turn,
             [&](error_code& ec, const CallOptions& o) { told(mutex_.try_acquire_for(*o.timeout, ec), ec); }},
            {"read lock", turn, [&](error_code& ec, CallOptions o) { std::ignore = read_write_.read_lock().acquire(ec, o); }},
            {"write lock", turn, [&](error_code& ec, CallOptions o) { std::ignore = read_write_.write_lock().acquire(ec, o); }},
            {"semaphore", turn, [&](error_code& ec, CallOptions o) { std::ignore = semaphore_.acquire(ec, o); }},
            {"semaphore, two", turn, [&](error_code& ec, CallOptions o) { std::ignore = semaphore_.acquire(2, ec, o); }},
            {"semaphore for a time", turn,
             [&](error_code& ec, const CallOptions& o) { told(semaphore_.try_acquire_for(*o.timeout, ec), ec); }},
            {"semaphore mutex", turn, [&](error_code& ec, CallOptions o) { std::ignore = semaphore_mutex_.acquire(ec, o); }},
            {"multi-lock", turn, [&](error_code& ec, CallOptions o) { std::ignore = multi_.acquire(ec, o); }},
            {"multi-lock for a time", turn,
             [&](error_code& ec, const CallOptions& o) { told(multi_.try_acquire_for(*o.timeout, ec), ec); }},
            {"latch", turn, [&](error_code& ec, CallOptions o) { latch_.await_leadership(ec, o); }},
        };
    }
    std::vector<TimedCall> calls_of_others() {
        using enum Asks;
        return {
            {"usage", answer, [&](error_code& ec, CallOptions o) { semaphore_.usage(ec, o); }},
            {"participants", answer, [&](error_code& ec, CallOptions o) { latch_.participants(ec, o); }},
            {"inspect", answer, [&](error_code& ec, CallOptions o) { inspect(client_, "/mutex", ec, o); }},
            {"value, start", answer, [&](error_code& ec, CallOptions o) { value_.start(ec, o); }},
            {"atomic, get", answer, [&](error_code& ec, CallOptions o) { number_.get(ec, o); }},
            {"barrier, wait", answer, [&](error_code& ec, CallOptions o) { barrier_.wait(ec, o); }},
            {"double barrier, enter", answer, [&](error_code& ec, CallOptions o) { double_barrier_.enter(ec, o); }},
            {"count-down, left", answer, [&](error_code& ec, CallOptions o) { std::ignore = count_down_.left(ec, o); }},
            {"count-down, wait", answer, [&](error_code& ec, CallOptions o) { count_down_.wait(ec, o); }},
            {"node, await", answer, [&](error_code& ec, CallOptions o) { node_.await_node(ec, o); }},
            {"members", answer, [&](error_code& ec, CallOptions o) { member_.members(ec, o); }},
            {"node cache, start", answer, [&](error_code& ec, CallOptions o) { node_cache_.start(ec, o); }},
            {"children cache, start", answer, [&](error_code& ec, CallOptions o) { children_cache_.start(ec, o); }},
            {"tree cache, start", answer, [&](error_code& ec, CallOptions o) { tree_cache_.start(ec, o); }},
            {"session events", news, [&](error_code& ec, CallOptions o) { events_.next(ec, o); }},
        };
    }
    /// Waits until all events of the session so far have arrived.
    void hear_all_events() {
        for (error_code ec; !ec;) events_.next(ec, {.timeout = 20ms});
    }

private:
    /// An empty result means that a try ended with `not_acquired`.
    template <typename Held> static void told(const std::optional<Held>& held, error_code& ec) {
        if (!held && !ec) ec = error::not_acquired;
    }

    Client& client_;
    InterProcessMutex mutex_{client_, "/mutex"};
    InterProcessMutex kept_{client_, "/kept", {.keep_for = 1s, .max_local_handovers = 2}};
    InterProcessReadWriteLock read_write_{client_, "/rw"};
    InterProcessSemaphore semaphore_{client_, "/semaphore", 3};
    InterProcessSemaphoreMutex semaphore_mutex_{client_, "/semaphore_mutex"};
    InterProcessMutex member_mutex_{client_, "/multi_a"};
    InterProcessSemaphore member_semaphore_{client_, "/multi_b", 2};
    InterProcessMultiLock multi_{{member_mutex_, member_semaphore_}};
    LeaderLatch latch_{client_, "/latch"};
    SharedValue value_{client_, "/value"};
    DistributedAtomicLong number_{client_, "/number"};
    DistributedBarrier barrier_{client_, "/barrier"};
    DistributedDoubleBarrier double_barrier_{client_, "/double", 2};
    CountDownLatch count_down_{client_, "/count", 1};
    PersistentNode node_{client_, "/node"};
    GroupMember member_{client_, "/group", "me"};
    NodeCache node_cache_{client_, "/a"};
    PathChildrenCache children_cache_{client_, "/a"};
    TreeCache tree_cache_{client_, "/a"};
    SessionEvents events_ = client_.session_events();
};

error_code outcome(const TimedCall& call, std::chrono::milliseconds timeout) {
    error_code ec;
    call.make(ec, {.timeout = timeout});
    return ec;
}

/// The expected error by the rule.
error_code expected(Asks asks, bool connected, bool in_doubt) {
    if (asks == Asks::news) return server_error::operation_timeout;
    if (asks == Asks::effect && in_doubt) return server_error::operation_timeout;
    if (!connected) return error::not_connected;
    return asks == Asks::turn ? make_error_code(error::not_acquired) : server_error::operation_timeout;
}

TEST(TimeOver, WithoutAServerNothingIsConnected) {
    Client client = started({.connect_string = "127.0.0.1:1"});
    AllRecipes recipes(client);
    recipes.hear_all_events();
    for (const TimedCall& call : recipes.calls()) {
        EXPECT_EQ(outcome(call, 30ms), expected(call.asks, false, false)) << call.name;
    }
}

TEST(TimeOver, BeforeTheStartCallsSaySoAtOnce) {
    Client client{{.connect_string = "127.0.0.1:1"}};
    AllRecipes recipes(client);
    recipes.hear_all_events();
    for (const TimedCall& call : recipes.calls()) {
        const auto expected = call.asks == Asks::news ? make_error_code(server_error::operation_timeout) : error::not_started;
        EXPECT_EQ(outcome(call, call.asks == Asks::news ? 30ms : 1h), expected) << call.name;
    }
}

class TimeOverTest : public ::testing::Test {
protected:
    docent::test::PooledServer server{{.tick_time = 2s}};
    docent::testing::FaultProxy proxy{server.port()};
    /// A silent server is noticed after a third of the session timeout.
    Client client{
        {.connect_string = proxy.connect_string(), .session_timeout = 40s, .ensemble_tracking = EnsembleTracking::off}};

    void SetUp() override {
        client.start();
        client.wait_connected({.timeout = 30s});
        client.create("/a", "");
        client.create("/b", "");
    }
    bool is_connected() const { return client.session().state == SessionState::connected; }
};

TEST_F(TimeOverTest, AfterTheConnectionIsLostNothingIsConnected) {
    AllRecipes recipes(client);
    proxy.refuse();
    proxy.cut();
    ASSERT_TRUE(eventually([&] { return !is_connected(); }));
    recipes.hear_all_events();
    for (const TimedCall& call : recipes.calls()) {
        EXPECT_EQ(outcome(call, 30ms), expected(call.asks, false, false)) << call.name;
    }
}

TEST_F(TimeOverTest, BehindASilentServerTheErrorNamesTheMissingEvent) {
    AllRecipes recipes(client);
    recipes.hear_all_events();
    proxy.black_hole(Direction::to_client);
    for (const TimedCall& call : recipes.calls()) {
        const error_code ec = outcome(call, 30ms);
        ASSERT_TRUE(is_connected()) << "the machine is too slow for this test, at " << call.name;
        EXPECT_EQ(ec, expected(call.asks, true, true)) << call.name;
    }
    proxy.cut(); // otherwise the client's end would wait for the server
}

/// Requests that were sent may have been applied: only writes are in doubt.
TEST_F(TimeOverTest, WhenTheReplyIsLostWithTheConnectionOnlyWritesAreInDoubt) {
    AllRecipes recipes(client);
    std::vector<TimedCall> calls = recipes.calls_of_client();
    const std::size_t asked = calls.size();
    for (TimedCall& call : recipes.calls_of_locks()) {
        if (call.name != "latch") calls.push_back(std::move(call)); // the latch goes on in the background
    }
    proxy.black_hole(Direction::to_client);
    const auto before = [&](Opcode opcode) { return proxy.requests(opcode); };
    const std::size_t creates = before(Opcode::create2), sets = before(Opcode::set), removals = before(Opcode::remove);
    const std::size_t acls = before(Opcode::set_acl), commits = before(Opcode::multi);
    std::vector<std::future<error_code>> outcomes;
    const auto begin = [&](const TimedCall& call) {
        outcomes.push_back(std::async(std::launch::async, [&call] { return outcome(call, 6s); }));
    };
    for (std::size_t i = 0; i < asked; ++i) begin(calls[i]);
    ASSERT_TRUE(eventually([&] {
        // Creates: "create", "create or set", and the marker of "commit exactly once".
        return proxy.requests(Opcode::create2) >= creates + 3 && proxy.requests(Opcode::set) >= sets + 2 &&
               proxy.requests(Opcode::remove) > removals && proxy.requests(Opcode::set_acl) > acls &&
               proxy.requests(Opcode::multi) > commits;
    })) << "all writes are on their way";
    for (std::size_t i = asked; i < calls.size(); ++i) begin(calls[i]);
    proxy.refuse();
    proxy.cut();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const error_code ec = outcomes[i].get();
        if (calls[i].name == "commit") { // a commit is not sent again: it ends with the connection, before its timeout
            EXPECT_EQ(ec, condition::outcome_unknown);
        } else {
            EXPECT_EQ(ec, expected(calls[i].asks, false, true)) << calls[i].name;
        }
    }
    EXPECT_FALSE(is_connected());
}

} // namespace
} // namespace docent
