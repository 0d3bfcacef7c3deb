// SPDX-License-Identifier: Apache-2.0
// Options of operations for a node that exists, or does not, against expectation. The node may be the effect of the same call,
// whose reply was lost.
#include "base/protection.hpp"
#include "client/core/access.hpp"
#include "client/core/client_view.hpp"
#include "clients.hpp"
#include "eventually.hpp"
#include "proxied_test.hpp"

#include <docent/client.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <future>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;
using docent::testing::Direction;
using docent::testing::Opcode;

class Options : public ProxiedTest {
protected:
    explicit Options(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    error_code create(std::string_view data, CreateOptions options) {
        error_code ec;
        client.create("/a", data, std::move(options), ec);
        return ec;
    }
    error_code remove(std::string_view path, RemoveOptions options) {
        error_code ec;
        client.remove(path, options, ec);
        return ec;
    }
};

TEST_F(Options, AcceptTakesAnyExistingNode) {
    const Created first = client.create("/a", "x");
    const Created again = client.create("/a", "y", {.if_exists = IfExists::accept});
    EXPECT_EQ(again.path, "/a");
    EXPECT_EQ(again.stat.czxid, first.stat.czxid);
    EXPECT_EQ(client.get("/a").data, "x");
    client.create("/b/c/d", "", {.mode = CreateMode::container, .parents = Parents::container, .if_exists = IfExists::accept});
    EXPECT_TRUE(client.exists("/b/c/d"));
}

TEST_F(Options, AcceptSameTakesOnlyAnEqualNode) {
    client.create("/a", "x");
    EXPECT_EQ(create("x", {.if_exists = IfExists::accept_same}), error_code{});
    EXPECT_EQ(create("y", {.if_exists = IfExists::accept_same}), server_error::node_exists);
    EXPECT_EQ(create("x", {.mode = CreateMode::ephemeral, .if_exists = IfExists::accept_same}), server_error::node_exists);
    client.set("/a", "x");
    EXPECT_EQ(create("x", {.if_exists = IfExists::accept_same}), server_error::node_exists) << "it was changed since";
    client.remove("/a");
    client.create("/a", "x", {.mode = CreateMode::ephemeral});
    EXPECT_EQ(create("x", {.mode = CreateMode::ephemeral, .if_exists = IfExists::accept_same}), error_code{});
    error_code ec;
    other.create("/a", "x", {.mode = CreateMode::ephemeral, .if_exists = IfExists::accept_same}, ec);
    EXPECT_EQ(ec, server_error::node_exists) << "it belongs to another session";
}

TEST_F(Options, CreateOrSet) {
    EXPECT_EQ(client.create("/a", "x", {.if_exists = IfExists::set_data}).stat.version, 0);
    EXPECT_EQ(client.create("/a", "y", {.if_exists = IfExists::set_data}).stat.version, 1);
    EXPECT_EQ(client.get("/a").data, "y");
    EXPECT_EQ(create("z", {.if_exists = IfExists::set_data, .set_version = 0}), server_error::bad_version);
    EXPECT_EQ(create("z", {.if_exists = IfExists::set_data, .set_version = 1}), error_code{});
}

TEST_F(Options, LostReplyOfACreateIsAcceptedAsItsOwn) {
    proxy.cut_before_reply(Opcode::create2);
    EXPECT_EQ(create("x", {}), server_error::node_exists) << "the first attempt has made it";
    client.remove("/a");
    proxy.cut_before_reply(Opcode::create2);
    EXPECT_EQ(create("x", {.if_exists = IfExists::accept_same}), error_code{});
    client.remove("/a");
    proxy.cut_before_reply(Opcode::create2);
    proxy.cut_before_reply(Opcode::get);
    EXPECT_EQ(create("x", {.if_exists = IfExists::accept_same}), error_code{}) << "lost again when it looked";
}

TEST_F(Options, StepsOfOneCallShareItsRetries) {
    client.create("/a", "x");
    proxy.cut_before_reply(Opcode::create2);
    proxy.cut_before_reply(Opcode::get);
    error_code ec;
    client.create("/a", "x", {.if_exists = IfExists::accept_same}, ec, {.retry_policy = RetryPolicy::one_time(1ms)});
    EXPECT_EQ(ec, server_error::connection_loss) << "one retry for the create, none left for the get";
    proxy.heal();
    proxy.cut_before_reply(Opcode::create2);
    proxy.cut_before_reply(Opcode::get);
    client.create("/a", "x", {.if_exists = IfExists::accept_same}, ec, {.retry_policy = RetryPolicy::n_times(2, 1ms)});
    EXPECT_EQ(ec, error_code{});
}

/// The look at the existing node loses its reply, and so does the next create.
TEST_F(Options, CreateOfANodeThatHasGoneMeanwhileSharesThemToo) {
    client.create("/a");
    proxy.on_forwarded(Opcode::exists, [this] { proxy.delay(Direction::to_server, 1h); });
    proxy.cut_before_reply(Opcode::exists);
    std::promise<error_code> result;
    client.async_create("/a", "", {.if_exists = IfExists::accept}, {.retry_policy = RetryPolicy::one_time(1ms)},
                        [&result](error_code ec, const Created&) { result.set_value(ec); });
    EXPECT_TRUE(proxy.wait_cuts(1, 30s));
    other.remove("/a");
    proxy.on_forwarded(Opcode::exists, [] {});
    proxy.cut_before_reply(Opcode::create2);
    proxy.delay(Direction::to_server, 0ms);
    EXPECT_EQ(result.get_future().get(), server_error::connection_loss) << "its one retry was used before";
}

TEST_F(Options, StepsOfASetShareItsRetriesToo) {
    const auto set = [this](std::int32_t version, const RetryPolicy& policy) {
        proxy.cut_before_reply(Opcode::set);
        proxy.cut_before_reply(Opcode::get);
        error_code ec;
        client.set("/a", "y", {.version = version, .if_changed = IfChanged::accept_same}, ec, {.retry_policy = policy});
        proxy.heal();
        return ec;
    };
    const auto set_acl = [this](const RetryPolicy& policy) {
        proxy.cut_before_reply(Opcode::set_acl);
        proxy.cut_before_reply(Opcode::exists);
        error_code ec;
        client.set_acl("/a", open_acl(), any_version, ec, {.retry_policy = policy});
        proxy.heal();
        return ec;
    };
    client.create("/a", "x");
    EXPECT_EQ(set(0, RetryPolicy::one_time(1ms)), server_error::connection_loss);
    EXPECT_EQ(set(1, RetryPolicy::n_times(2, 1ms)), error_code{});
    EXPECT_EQ(set_acl(RetryPolicy::one_time(1ms)), error_code{}) << "it is set, though its metadata could not be read";
    EXPECT_EQ(set_acl(RetryPolicy::n_times(2, 1ms)), error_code{});
}

TEST_F(Options, LostReplyOfASetIsAcceptedAsItsOwn) {
    client.create("/a", "x");
    const auto set = [this](std::int32_t version, IfChanged if_changed) {
        error_code ec;
        client.set("/a", "y", {.version = version, .if_changed = if_changed}, ec);
        return ec;
    };
    proxy.cut_before_reply(Opcode::set);
    EXPECT_EQ(set(0, IfChanged::fail), server_error::bad_version);
    proxy.cut_before_reply(Opcode::set);
    EXPECT_EQ(set(1, IfChanged::accept_same), error_code{});
    EXPECT_EQ(client.get("/a").stat.version, 2) << "set once";
    client.set("/a", "other");
    EXPECT_EQ(set(2, IfChanged::accept_same), server_error::bad_version);
    EXPECT_EQ(set(1, IfChanged::accept_same), server_error::bad_version);
    client.set("/a", "y");
    EXPECT_EQ(set(1, IfChanged::accept_same), server_error::bad_version) << "the same data, but more changes";
}

TEST_F(Options, RemoveOfAMissingNode) {
    EXPECT_EQ(remove("/a", {}), server_error::no_node);
    EXPECT_EQ(remove("/a", {.if_missing = IfMissing::accept}), error_code{});
    EXPECT_EQ(remove("/a", {.children = RemoveChildren::yes}), server_error::no_node);
    EXPECT_EQ(remove("/a", {.children = RemoveChildren::yes, .if_missing = IfMissing::accept}), error_code{});
}

TEST_F(Options, RemoveWithChildren) {
    for (const auto* path : {"/a/1/x", "/a/1/y/z", "/a/2", "/a/3/x"}) client.create(path, "", {.parents = Parents::persistent});
    EXPECT_EQ(remove("/a", {}), server_error::not_empty);
    EXPECT_EQ(remove("/a", {.version = 7, .children = RemoveChildren::yes}), server_error::bad_version);
    EXPECT_TRUE(client.exists("/a/1/y/z")) << "the version is looked at first";
    EXPECT_EQ(remove("/a", {.version = 0, .children = RemoveChildren::yes}), error_code{});
    EXPECT_FALSE(client.exists("/a"));
    client.create("/a");
    for (int i = 0; i < 300; ++i) client.create("/a/" + std::to_string(i));
    const auto before = proxy.requests(Opcode::children2);
    EXPECT_EQ(remove("/a", {.children = RemoveChildren::yes}), error_code{});
    EXPECT_EQ(proxy.requests(Opcode::children2), before + 1) << "leaves are not listed";
}

/// The requests of the calls never arrive, so only the background removal can have removed the nodes.
TEST_F(Options, GuaranteedRemoveGoesOnAfterAnyEndOfItsCall) {
    const auto remove_with = [this](CallOptions call) {
        error_code ec;
        client.remove("/a", {.guarantee = Guarantee::background}, ec, std::move(call));
        return ec;
    };
    const auto is_removed = [this] { return eventually([this] { return !other.exists("/a"); }); };
    std::stop_source stopped;
    stopped.request_stop();
    const std::vector<std::pair<CallOptions, error_code>> given_up{
        {{.timeout = 50ms}, server_error::operation_timeout},
        {{.stop = stopped.get_token()}, boost::asio::error::operation_aborted}};
    for (const auto& [call, expected] : given_up) {
        client.create("/a");
        proxy.black_hole(Direction::to_server);
        EXPECT_EQ(remove_with(call), expected);
        proxy.cut();
        EXPECT_TRUE(other.exists("/a"));
        proxy.heal();
        EXPECT_TRUE(is_removed()) << expected.message();
    }
    client.create("/a");
    proxy.cut_before_request(Opcode::remove);
    EXPECT_EQ(remove_with({.retry_policy = RetryPolicy::none()}), server_error::connection_loss);
    EXPECT_TRUE(is_removed());
    client.create("/a");
    proxy.refuse();
    proxy.cut();
    EXPECT_TRUE(eventually([this] { return client.session().state == SessionState::suspended; }));
    EXPECT_EQ(remove_with({.timeout = 50ms}), error::not_connected);
    proxy.heal();
    EXPECT_TRUE(is_removed());
}

TEST_F(Options, GuaranteedRemoveKeepsToItsVersionInTheBackground) {
    client.create("/a");
    proxy.black_hole();
    error_code ec;
    client.remove("/a", {.version = 7, .guarantee = Guarantee::background}, ec, {.timeout = 50ms});
    EXPECT_TRUE(ec);
    proxy.heal();
    client.sync();
    EXPECT_TRUE(other.exists("/a"));
}

/// With heartbeats that are ten seconds apart.
struct LongSessionOptions : Options {
    LongSessionOptions() : Options(Sessions::outlast_restarts) {}
};

TEST_F(LongSessionOptions, GuaranteedRemoveGoesOnWithTheNextConnectionBeforeItsFirstHeartbeat) {
    client.create("/a");
    ASSERT_EQ(client.negotiated_timeout(), 60s);
    proxy.refuse();
    proxy.cut();
    EXPECT_TRUE(eventually([&] { return client.session().state == SessionState::suspended; }));
    error_code ec;
    client.remove("/a", {.guarantee = Guarantee::background}, ec, {.timeout = 50ms});
    EXPECT_EQ(ec, error::not_connected);
    const auto heartbeats = proxy.requests(Opcode::sync);
    proxy.heal();
    EXPECT_TRUE(eventually([&] { return proxy.requests(Opcode::remove) == 1; }));
    EXPECT_EQ(proxy.requests(Opcode::sync), heartbeats);
    EXPECT_TRUE(eventually([this] { return !other.exists("/a"); }));
}

/// Such a node is made by a create that a stalled server has applied late.
TEST_F(Options, AnOrphanedNodeIsRemovedAfterAReconnect) {
    other.create("/queue");
    const auto view = detail::Access::view(client);
    std::promise<std::string> made;
    view->post([&] {
        const std::string path = detail::protected_path("/queue/lock-", view->new_marked_guid());
        view->submit(zk::CreateRequest{.path = path, .data = {}, .mode = CreateMode::ephemeral_sequential},
                     [&](const zk::Reply& reply) {
                         view->on_node_gone(reply.path); // as if another client had removed it
                         made.set_value(reply.path);
                     });
    });
    const std::string orphan = made.get_future().get();
    EXPECT_TRUE(other.exists(orphan));
    proxy.cut();
    EXPECT_TRUE(eventually([&] { return !other.exists(orphan); }));
    EXPECT_EQ(client.session().epoch, 1u) << "it did not go with its session";
}

TEST_F(Options, RemoveWithoutGuaranteeIsNotSentLater) {
    client.create("/a");
    proxy.black_hole(Direction::to_server);
    error_code ec;
    client.remove("/a", {}, ec, {.timeout = 50ms});
    EXPECT_TRUE(ec);
    proxy.cut();
    proxy.heal();
    client.sync();
    EXPECT_TRUE(other.exists("/a"));
}

TEST_F(Options, EndOfTheSessionCanEndTheCall) {
    client.create("/a");
    const auto policy = RetryPolicy::n_times(5, 1ms);
    for (const bool within_session : {false, true}) {
        const auto sent = proxy.requests(Opcode::exists);
        proxy.black_hole(Direction::to_client);
        std::promise<error_code> result;
        client.async_exists("/a", {.retry_policy = within_session ? policy.within_session() : policy},
                            [&result](error_code ec, const std::optional<Stat>&) { result.set_value(ec); });
        EXPECT_TRUE(eventually([&] { return proxy.requests(Opcode::exists) > sent; }));
        client.renew_session();
        if (!within_session) proxy.heal(); // a call that needs no next session need not wait for it
        EXPECT_EQ(result.get_future().get(), within_session ? make_error_code(server_error::session_expired) : error_code{});
        proxy.heal();
        client.wait_connected();
    }
}

/// The session ends between the lost reply and the next try.
TEST_F(Options, NextTryInAnotherSessionCanBeRefused) {
    const auto outcome = [this](Opcode opcode, const auto& begin) {
        proxy.on_forwarded(opcode, [this] { proxy.refuse(); }); // now the next try waits
        proxy.cut_before_reply(opcode);
        std::promise<error_code> result;
        begin([&result](error_code ec, const auto&...) { result.set_value(ec); });
        EXPECT_TRUE(eventually([this] { return client.session().state == SessionState::suspended; }));
        client.renew_session();
        proxy.on_forwarded(opcode, [] {});
        proxy.heal();
        const error_code ec = result.get_future().get();
        client.wait_connected();
        return ec;
    };
    const auto policy = RetryPolicy::n_times(5, 1ms);
    const error_code expired = server_error::session_expired;
    client.create("/a");
    for (const bool within_session : {false, true}) {
        const CallOptions call{.retry_policy = within_session ? policy.within_session() : policy};
        EXPECT_EQ(outcome(Opcode::set, [&](auto done) { client.async_set("/a", "x", {}, call, done); }),
                  within_session ? expired : error_code{});
        EXPECT_EQ(outcome(Opcode::create2, [&](auto done) { client.async_create("/new", "", {}, call, done); }),
                  within_session ? expired : make_error_code(server_error::node_exists))
            << "the first try has made it";
        other.create("/new/child");
        EXPECT_EQ(outcome(Opcode::children2,
                          [&](auto done) { client.async_remove("/new", {.children = RemoveChildren::yes}, call, done); }),
                  within_session ? expired : error_code{});
        EXPECT_EQ(other.exists("/new").has_value(), within_session);
    }
}

/// The error `not_connected` would claim that nothing was sent.
TEST_F(Options, DoubtRemainsWhenNoServerAnswersAnyMore) {
    Client brief = started({.connect_string = proxy.connect_string(),
                            .connection_timeout = 100ms,
                            .retry_policy = RetryPolicy::n_times(5, 10ms),
                            .ensemble_tracking = EnsembleTracking::off});
    const auto doubtful = [&](Opcode opcode, const auto& call) {
        brief.wait_connected({.timeout = 30s}); // longer than the connection timeout
        proxy.on_forwarded(opcode, [this] { proxy.refuse(); });
        proxy.cut_before_reply(opcode);
        error_code ec;
        call(ec);
        proxy.on_forwarded(opcode, [] {});
        proxy.heal();
        return ec;
    };
    EXPECT_EQ(doubtful(Opcode::create2, [&](error_code& ec) { brief.create("/c", "", {}, ec); }),
              server_error::operation_timeout);
    EXPECT_EQ(doubtful(Opcode::set, [&](error_code& ec) { brief.set("/c", "", {}, ec); }), server_error::operation_timeout);
    EXPECT_EQ(doubtful(Opcode::remove, [&](error_code& ec) { brief.remove("/c", {.children = RemoveChildren::yes}, ec); }),
              server_error::operation_timeout);
    EXPECT_EQ(doubtful(Opcode::get,
                       [&](error_code& ec) {
                           proxy.cut_before_reply(Opcode::create2);
                           brief.create("/d", "x", {.if_exists = IfExists::accept_same}, ec);
                       }),
              server_error::operation_timeout)
        << "the create may have made the node";
    // Last, because after these calls the client removes nodes in the background. A later fault could hit such a removal.
    EXPECT_EQ(
        doubtful(Opcode::create2, [&](error_code& ec) { brief.create("/p-", "", {.protection = Protection::protected_}, ec); }),
        server_error::operation_timeout);
    EXPECT_EQ(doubtful(Opcode::multi, [&](error_code& ec) { brief.commit(Transaction().create("/t").exactly_once(), ec); }),
              server_error::operation_timeout);
}

TEST_F(Options, DefaultDataIsWhereNoneWasGiven) {
    Client named = started({.connect_string = server.connect_string(), .default_data = "me"});
    named.create("/a");
    EXPECT_EQ(other.get("/a").data, "me");
    named.create("/b", "");
    EXPECT_EQ(other.get("/b").data, "");
    named.commit(Transaction().create("/c").create("/d", ""));
    EXPECT_EQ(other.get("/c").data, "me");
    EXPECT_EQ(other.get("/d").data, "");
    client.create("/e");
    EXPECT_NE(client.get("/e").data.find('.'), std::string::npos) << "this machine's address: " << client.get("/e").data;
}

TEST_F(Options, ReadsAreRepeatedAfterALostReply) {
    client.create("/p");
    proxy.cut_before_reply(Opcode::get);
    EXPECT_EQ(client.get("/p").stat.num_children, 0);
    proxy.cut_before_request(Opcode::exists);
    EXPECT_TRUE(client.exists("/p"));
}

} // namespace
} // namespace docent
