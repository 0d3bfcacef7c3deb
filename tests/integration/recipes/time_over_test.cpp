// SPDX-License-Identifier: Apache-2.0

// The rule for a call whose timeout has passed (docs/client/errors.md), tested for all calls of the client and of all recipes.

#include "clients.hpp"
#include "eventually.hpp"
#include "proxied_test.hpp"
#include "recipe_calls.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::Asks;
using docent::test::eventually;
using docent::testing::Direction;
using docent::testing::Opcode;

struct TimedCall {
    std::string_view name;
    Asks asks;
    std::function<void(error_code&, CallOptions)> make;
};

/// The calls of one client and of all recipes on it.
class AllCalls {
public:
    explicit AllCalls(Client& client) : client_(client) {}

    std::vector<TimedCall> calls() {
        std::vector<TimedCall> all = calls_of_client();
        for (auto& each : calls_of_recipes()) all.push_back(std::move(each));
        all.push_back({"session events", Asks::news, [&](error_code& ec, CallOptions o) { events_.next(ec, o); }});
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
    /// All calls of a recipe have one path.
    std::vector<TimedCall> calls_of_recipes() {
        std::vector<TimedCall> all;
        const docent::test::RecipeCalls recipes = docent::test::recipe_calls();
        for (const auto& call : recipes.timed) {
            const std::string path = "/" + std::string(call.recipe);
            all.push_back({call.text, call.asks, [this, make = call.make, path](error_code& ec, const CallOptions& o) {
                               make(client_, path, ec, o);
                           }});
        }
        return all;
    }
    /// Waits until all events of the session so far have arrived.
    void hear_all_events() {
        for (error_code ec; !ec;) events_.next(ec, {.timeout = 20ms});
    }

private:
    Client& client_;
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
    AllCalls all(client);
    all.hear_all_events();
    for (const TimedCall& call : all.calls()) {
        EXPECT_EQ(outcome(call, 30ms), expected(call.asks, false, false)) << call.name;
    }
}

TEST(TimeOver, BeforeTheStartCallsSaySoAtOnce) {
    Client client{{.connect_string = "127.0.0.1:1"}};
    AllCalls all(client);
    all.hear_all_events();
    for (const TimedCall& call : all.calls()) {
        const auto expected = call.asks == Asks::news ? make_error_code(server_error::operation_timeout) : error::not_started;
        EXPECT_EQ(outcome(call, call.asks == Asks::news ? 30ms : 1h), expected) << call.name;
    }
}

class TimeOverTest : public ::testing::Test {
protected:
    docent::test::AnyServer server{{.tick_time = 2s, .max_session_timeout = 120s}};
    docent::testing::FaultProxy proxy{server.port()};
    /// A silent server is noticed after a third of the session timeout.
    Client client{
        {.connect_string = proxy.connect_string(), .session_timeout = 120s, .ensemble_tracking = EnsembleTracking::off}};

    void SetUp() override {
        client.start();
        client.wait_connected({.timeout = 30s});
        client.create("/a", "");
        client.create("/b", "");
    }
    bool is_connected() const { return client.session().state == SessionState::connected; }
};

TEST_F(TimeOverTest, AfterTheConnectionIsLostNothingIsConnected) {
    AllCalls all(client);
    proxy.refuse();
    proxy.cut();
    ASSERT_TRUE(eventually([&] { return !is_connected(); }));
    all.hear_all_events();
    for (const TimedCall& call : all.calls()) {
        EXPECT_EQ(outcome(call, 30ms), expected(call.asks, false, false)) << call.name;
    }
}

TEST_F(TimeOverTest, BehindASilentServerTheErrorNamesTheMissingEvent) {
    AllCalls all(client);
    all.hear_all_events();
    proxy.black_hole(Direction::to_client);
    for (const TimedCall& call : all.calls()) {
        const error_code ec = outcome(call, 30ms);
        ASSERT_TRUE(is_connected()) << "the machine is too slow for this test, at " << call.name;
        EXPECT_EQ(ec, expected(call.asks, true, true)) << call.name;
    }
    proxy.cut(); // otherwise the client's end would wait for the server
}

/// Requests that were sent may have been applied: only writes are in doubt.
TEST_F(TimeOverTest, WhenTheReplyIsLostWithTheConnectionOnlyWritesAreInDoubt) {
    AllCalls all(client);
    std::vector<TimedCall> calls = all.calls_of_client();
    const std::size_t asked = calls.size();
    for (TimedCall& call : all.calls_of_recipes()) {
        const bool goes_on = call.name.find("await_leadership") != std::string_view::npos; // in the background
        if (call.asks == Asks::turn && !goes_on) calls.push_back(std::move(call));
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
