// SPDX-License-Identifier: Apache-2.0
#include "zk/handle.hpp"

#include "c_client/fake_c_client.hpp"
#include "posix/spawn.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace docent::zk {
namespace {

using namespace std::chrono_literals;
using test::FakeCClient;
using test::FakeService;
using test::VirtualLoop;

class HandleTest : public ::testing::Test, protected HandleObserver {
protected:
    static constexpr std::chrono::milliseconds timeout = 4s;

    asio::io_context context;
    VirtualLoop loop{context};
    FakeService service{loop, timeout};
    FakeCClient client{loop, service};
    std::shared_ptr<Handle> handle = std::make_shared<Handle>(std::shared_ptr<EventLoop>(std::shared_ptr<void>(), &loop),
                                                              HandleOptions{"127.0.0.1:1,127.0.0.1:2,127.0.0.1:3", timeout, {}},
                                                              static_cast<HandleObserver&>(*this), client);
    int connected = 0;
    int disconnected = 0;
    int answers = 0;
    bool last_by_leader = false;
    std::vector<error_code> faults;
    std::function<void()> on_expired;

    void SetUp() override {
        service.make("/a");
        ASSERT_FALSE(handle->open());
        loop.run_for(100ms);
    }
    void TearDown() override {
        handle->close(error::closed);
        handle.reset();
        EXPECT_EQ(client.handles(), 0u);
        EXPECT_EQ(loop.descriptors_used, 0) << "nothing is leaked";
    }
    void on_handle_connected(const Connected&) override { ++connected; }
    void on_handle_disconnected() override { ++disconnected; }
    void on_handle_expired() override {
        if (on_expired) on_expired();
    }
    void on_handle_auth_failed() override {}
    void on_handle_answer(BootClock::time_point, bool by_leader) override {
        ++answers;
        last_by_leader = by_leader;
    }
    void on_handle_attempt_failed(const FailedAttempt&) override {}
    void on_handle_fault(error_code ec) override { faults.push_back(ec); }

    /// Collects the answers to one request.
    using Replies = std::shared_ptr<std::vector<error_code>>;
    Replies submit(Request request) {
        auto replies = std::make_shared<std::vector<error_code>>();
        handle->submit(std::move(request), [replies](const Reply& reply) { replies->push_back(reply.ec); });
        return replies;
    }
    static std::vector<error_code> once(error_code ec) { return {ec}; }
    static WatchSink nobody() {
        return make_watch_sink([](const WatchEvent&) {});
    }
};

TEST_F(HandleTest, ConnectsAnswersAndComesBack) {
    EXPECT_EQ(connected, 1);
    const auto first = submit(GetRequest{"/a"});
    loop.run_for(100ms);
    EXPECT_EQ(*first, once({}));
    service.cut(false);
    loop.run_for(1s);
    EXPECT_EQ(disconnected, 1);
    EXPECT_EQ(connected, 2);
    EXPECT_EQ(*submit(GetRequest{"/a"}), std::vector<error_code>{}) << "not at once";
}

/// A server may refuse a request before it reaches the leader. The refusal does not prove that the leader knows the session.
TEST_F(HandleTest, ARefusalByAnAclIsNoAnswerOfTheLeader) {
    const auto done = submit(SetRequest{"/a", "x"});
    loop.run_for(100ms);
    EXPECT_EQ(*done, once({}));
    EXPECT_TRUE(last_by_leader);
    service.set_acl("/a", {{Permission::read, "world", "anyone"}});
    const auto refused = submit(SetAclRequest{"/a", open_acl()});
    loop.run_for(100ms);
    EXPECT_EQ(*refused, once(server_error::no_auth));
    EXPECT_FALSE(last_by_leader);
}

/// The C client alone would take two thirds of the session timeout for each address.
TEST_F(HandleTest, ADeadAddressIsGivenUpAfterASixthOfTheSessionTimeout) {
    service.accepts = false;
    service.cut(false);
    const auto longest =
        timeout / 6 + timeout / 30 + 2 * 50ms; // with the pause between two rounds and the interval of the looks
    loop.run_for(longest);
    const auto made = client.connections_made;
    loop.run_for(10 * longest);
    EXPECT_GE(client.connections_made - made, 10u);
}

/// The first packet of an attempt may be lost together with others, or the next server may be gone as well.
TEST_F(HandleTest, TheFirstAttemptAfterALossIsShort) {
    service.accepts = false;
    service.cut(false);
    loop.run_for(timeout / 60 + 10ms); // with the pause after the loss
    ASSERT_EQ(client.connections_made, 2u);
    loop.run_for(timeout / 24);
    EXPECT_EQ(client.connections_made, 3u);
    loop.run_for(timeout / 6 - timeout / 60 - 20ms);
    EXPECT_EQ(client.connections_made, 3u) << "a server that is far away has its time";
}

/// The session and the requests under way belong to the parent process.
TEST_F(HandleTest, ChildOfTheProcessSendsAndClosesNothing) {
    const auto of_parent = submit(GetRequest{"/a"});
    const auto child = posix::fork_child([&](const sigset_t&) {
        const auto connections = client.connections_made;
        const auto refused = submit(GetRequest{"/a"});
        handle->drop_connection();
        handle->read_available();
        loop.run_for(timeout * 2);
        const bool is_refused = *refused == once(error::other_process) && of_parent->empty();
        const bool is_silent = connected == 1 && disconnected == 0 && client.connections_made == connections;
        handle->close(error::closed);
        handle.reset();
        const bool is_open = client.handles() == 1 && of_parent->empty();
        ::_exit((is_refused ? 0 : 1) + (is_silent ? 0 : 2) + (is_open ? 0 : 4));
    });
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    loop.run_for(100ms);
    EXPECT_EQ(*of_parent, once({}));
}

TEST_F(HandleTest, RequestsOfOneTurnLeaveTogether) {
    EXPECT_EQ(loop.holding_back, 0);
    const auto first = submit(GetRequest{"/a"});
    const auto second = submit(GetRequest{"/a"});
    EXPECT_EQ(loop.holding_back, 1);
    EXPECT_EQ(loop.let_go, 0);
    loop.run_for(0ms);
    EXPECT_EQ(loop.let_go, 1);
    const auto third = submit(GetRequest{"/a"});
    loop.run_for(0ms);
    EXPECT_EQ(loop.let_go, 2);
    loop.run_for(100ms);
    EXPECT_EQ(*first, once({}));
    EXPECT_EQ(*second, once({}));
    EXPECT_EQ(*third, once({}));
}

TEST_F(HandleTest, RemovalsOfWatchesAreLetGoToo) {
    auto sink = nobody();
    submit(GetRequest{"/a", sink});
    loop.run_for(10ms);
    EXPECT_EQ(loop.let_go, 1);
    sink.reset();
    handle->forget_watch("/a", WatchKind::data);
    EXPECT_EQ(loop.holding_back, 1);
    loop.run_for(0ms);
    EXPECT_EQ(loop.let_go, 2);
}

TEST_F(HandleTest, PingsLeaveAtOnce) {
    submit(GetRequest{"/a"});
    loop.run_for(10s); // long enough for a ping of the C client
    EXPECT_EQ(loop.let_go, 1);
    EXPECT_EQ(loop.holding_back, 0) << "or they would leave 200 ms later";
    submit(GetRequest{"/a"});
    EXPECT_EQ(loop.holding_back, 1);
}

TEST_F(HandleTest, NothingIsHeldBackOnTheNextConnection) {
    submit(GetRequest{"/a"});
    service.cut(false);
    handle->drop_connection();
    EXPECT_EQ(loop.holding_back, 0);
    loop.run_for(1s);
    EXPECT_EQ(connected, 2);
    EXPECT_EQ(loop.holding_back, 0);
}

TEST_F(HandleTest, IdleConnectionLivesOnPings) {
    loop.run_for(60s);
    EXPECT_EQ(client.connections_made, 1u);
    EXPECT_EQ(disconnected, 0);
}

/// After a stall the client reads the answers that have arrived before it checks for a timeout.
TEST_F(HandleTest, AStallOfOurOwnCostsNoConnection) {
    for (int n = 0; n < 20; ++n) {
        submit(GetRequest{"/a"}); // answered during the stall
        loop.stand_still(timeout * 7 / 10);
        loop.run_for(timeout);
    }
    EXPECT_EQ(disconnected, 0);
}

TEST_F(HandleTest, AReadOnlyServerIsNoConnection) {
    client.tell(ZOO_READONLY_STATE); // docent never asks for read-only sessions
    EXPECT_FALSE(handle->connected());
}

// ---- ZOOKEEPER-4210

TEST_F(HandleTest, SilentCloseWithAnOlderRequestAnswersBothOnce) {
    const auto older = submit(SyncRequest{"/"});
    service.cut(true);
    const auto cut = submit(SyncRequest{"/"});
    loop.run_for(2s);
    EXPECT_EQ(*older, once(server_error::connection_loss));
    EXPECT_EQ(*cut, once(server_error::connection_loss));
    EXPECT_EQ(connected, 2) << "once the C client is rid of both";
    EXPECT_EQ(disconnected, 1);
}

TEST_F(HandleTest, ARequestOfASilentCloseIsAnsweredOnce) {
    service.cut(true);
    const auto again = submit(SetRequest{"/a", ""});
    loop.run_for(2s);
    EXPECT_EQ(*again, once(server_error::connection_loss));
    EXPECT_EQ(service.tree().find("/a")->stat.version, 1) << "it was applied, though";
    EXPECT_EQ(connected, 2);
}

TEST_F(HandleTest, SilentCloseInTheMiddleOfARequestAnswersItOnce) {
    client.half_sent = true;
    service.cut(true);
    const auto half = submit(SyncRequest{"/"});
    loop.run_for(2s);
    EXPECT_EQ(*half, once(server_error::connection_loss));
    EXPECT_EQ(connected, 2);
}

TEST_F(HandleTest, SilentCloseUnderARemovalIsSettledFirst) {
    submit(GetRequest{"/a", nobody()}); // no waiter: the watch is removed at once
    loop.run_for(3ms);
    service.cut(true);
    const auto after = submit(SyncRequest{"/"});
    loop.run_for(2s);
    EXPECT_EQ(*after, once(server_error::connection_loss));
    EXPECT_EQ(connected, 2);
    EXPECT_EQ(service.watches() + client.watches(), 0u);
}

TEST_F(HandleTest, WatchOfAReadThatASilentCloseSentAgainIsForgotten) {
    const auto sink = nobody();
    service.cut(true);
    submit(GetRequest{"/a", sink});
    loop.run_for(2s);
    EXPECT_EQ(service.watches() + client.watches(), 0u) << "its reader was told that it failed";
}

// ---- watches

TEST_F(HandleTest, WatchGivenUpWhileDisconnectedIsForgottenAfterTheReconnect) {
    auto sink = nobody();
    submit(GetRequest{"/a", sink});
    auto list = nobody();
    submit(ChildrenRequest{"/a", list});
    loop.run_for(100ms);
    service.set_quorum(false);
    loop.run_for(500ms);
    sink.reset();
    handle->forget_watch("/a", WatchKind::data);
    list.reset();
    handle->forget_watch("/a", WatchKind::children);
    service.set_quorum(true);
    loop.run_for(1s);
    EXPECT_EQ(connected, 2);
    EXPECT_EQ(service.watches(), 0u);
    EXPECT_EQ(client.watches(), 0u);
}

TEST_F(HandleTest, WatchGivenUpBesideAReadThatFailsIsForgotten) {
    auto sink = nobody();
    submit(GetRequest{"/a", sink});
    loop.run_for(100ms);
    client.next_send = ZSYSTEMERROR;
    submit(GetRequest{"/a", nobody()});
    sink.reset();
    handle->forget_watch("/a", WatchKind::data);
    loop.run_for(100ms);
    EXPECT_EQ(service.watches(), 0u);
}

TEST_F(HandleTest, RemovalThatTheCClientRefusesIsTriedAgainWithTheNextAnswer) {
    auto sink = nobody();
    submit(GetRequest{"/a", sink});
    loop.run_for(100ms);
    client.next_send = ZSYSTEMERROR;
    sink.reset();
    handle->forget_watch("/a", WatchKind::data);
    loop.run_for(100ms);
    EXPECT_EQ(service.watches(), 1u);
    submit(SyncRequest{"/"});
    loop.run_for(100ms);
    EXPECT_EQ(service.watches(), 0u);
}

/// A close that waits for all answers waits for this answer, too.
TEST_F(HandleTest, TheAnswerToARemovalIsOneLikeOthers) {
    auto sink = nobody();
    submit(GetRequest{"/a", sink});
    loop.run_for(100ms);
    const int before = answers;
    sink.reset();
    handle->forget_watch("/a", WatchKind::data);
    EXPECT_EQ(handle->outstanding(), 1u);
    loop.run_for(100ms);
    EXPECT_EQ(handle->outstanding(), 0u);
    EXPECT_EQ(answers, before + 1);
}

/// The watch was given up while its read was under way. Without this, no code would remove the watch before the next
/// connection.
TEST_F(HandleTest, WatchGivenUpBeforeItsReadIsAnsweredIsForgottenWithTheAnswer) {
    auto sink = nobody();
    submit(GetRequest{"/a", sink});
    sink.reset();
    handle->forget_watch("/a", WatchKind::data);
    loop.run_for(100ms);
    EXPECT_EQ(service.watches(), 0u);
}

/// A failed read sets no watch. While it is under way it only delays the removal of the other watch.
TEST_F(HandleTest, WatchGivenUpBesideAReadOnItsWayIsForgottenWhenThatFails) {
    auto sink = nobody();
    submit(ExistsRequest{"/missing", sink});
    loop.run_for(100ms);
    ASSERT_EQ(service.watches(), 1u);
    const auto kept = nobody();
    const auto failed = submit(GetRequest{"/missing", kept});
    sink.reset();
    handle->forget_watch("/missing", WatchKind::exists);
    loop.run_for(100ms);
    EXPECT_EQ(*failed, once(server_error::no_node));
    EXPECT_EQ(connected, 1);
    EXPECT_EQ(service.watches(), 0u);
}

TEST_F(HandleTest, RemovalDoesNotTakeTheWatchOfAReadOnItsWay) {
    auto dropped = nobody();
    submit(GetRequest{"/a", dropped});
    loop.run_for(100ms);
    int told = 0;
    const auto kept = make_watch_sink([&](const WatchEvent&) { ++told; });
    submit(GetRequest{"/a", kept});
    dropped.reset();
    handle->forget_watch("/a", WatchKind::data);
    loop.run_for(100ms);
    service.change("/a");
    loop.run_for(100ms);
    EXPECT_EQ(told, 1);
}

/// Events that arrive together are delivered one by one. A receiver of the first event may start to wait for another node. The
/// deletion of the node before it must not pass for the deletion of the new node.
TEST_F(HandleTest, AnEventOfAWatchThatWasGivenUpIsDropped) {
    int told = 0;
    auto sink = make_watch_sink([&](const WatchEvent&) { ++told; });
    submit(GetRequest{"/a", sink});
    loop.run_for(100ms);
    handle->submit(ChildrenRequest{"/"}, [&](const Reply&) { sink.reset(); });
    service.stall_down(50ms);
    loop.run_for(10ms);
    service.change("/a");
    loop.run_for(100ms);
    EXPECT_EQ(sink, nullptr);
    EXPECT_EQ(told, 0);
}

TEST_F(HandleTest, AWatchThatIsGivenUpAtTheEndOfTheSessionHearsNothing) {
    int told = 0;
    const auto kept = make_watch_sink([&](const WatchEvent& event) { told += event.type == WatchEventType::session_lost; });
    auto dropped = make_watch_sink([&](const WatchEvent&) { told += 100; });
    submit(GetRequest{"/a", kept});
    submit(GetRequest{"/a", dropped});
    loop.run_for(100ms);
    on_expired = [&] { dropped.reset(); };
    service.expire(*service.session_ids().begin());
    service.cut(false);
    loop.run_for(1s);
    EXPECT_EQ(told, 1);
}

// ---- requests that this process cannot send

TEST_F(HandleTest, ARefusalOfTheCClientIsNoAnswerOfTheServer) {
    for (const int rc : {ZSYSTEMERROR, ZMARSHALLINGERROR, ZBADARGUMENTS}) {
        client.next_send = rc;
        const auto refused = submit(SyncRequest{"/"});
        loop.run_for(100ms);
        EXPECT_EQ(*refused, once({rc, server_category()}));
    }
    EXPECT_EQ(answers, 0);
}

/// Both requests end with an error of docent's own. Traces count the requests that were sent.
TEST_F(HandleTest, ItTellsWhetherARequestWasSent) {
    std::vector<std::pair<error_code, bool>> replies;
    const auto note = [&replies](const Reply& reply) { replies.emplace_back(reply.ec, reply.was_sent); };
    handle->submit(SetRequest{"/a", std::string(2'000'000, 'x')}, note);
    handle->submit(GetRequest{"/a"}, note);
    handle->close(error::closed);
    ASSERT_EQ(replies.size(), 2U);
    EXPECT_EQ(replies[0], std::pair(make_error_code(error::too_large), false));
    EXPECT_EQ(replies[1], std::pair(make_error_code(error::closed), true));
}

/// An acquire sends a create and a list, and looks at both answers when the second has come. So a refused create
/// must be answered first, also if the same turn reads the server's answer to the list.
TEST_F(HandleTest, ALocalRefusalIsAnsweredBeforeALaterRequest) {
    std::vector<error_code> replies;
    const auto note = [&replies](const Reply& reply) { replies.push_back(reply.ec); };
    handle->submit(SetRequest{"/a", std::string(2'000'000, 'x')}, note);
    handle->submit(GetRequest{"/a"}, note);
    loop.stand_still(timeout / 8); // then the next turn begins with a read
    loop.run_for(100ms);
    EXPECT_EQ(replies, (std::vector{make_error_code(error::too_large), error_code{}}));
}

TEST_F(HandleTest, WithoutADescriptorToWaitWithItLooksItself) {
    loop.out_of_descriptors = true;
    service.cut(false);
    loop.run_for(1s);
    EXPECT_EQ(connected, 2);
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults.front(), boost::system::errc::too_many_files_open);
    const auto answered = submit(GetRequest{"/a"});
    loop.run_for(100ms);
    EXPECT_EQ(*answered, once({}));
    loop.out_of_descriptors = false;
    loop.run_for(100ms);
    EXPECT_EQ(loop.descriptors_used, 1) << "it waits again";
}

TEST_F(HandleTest, WithoutASocketItSaysWhyAndTriesAgain) {
    client.out_of_descriptors = true;
    service.cut(false);
    loop.run_for(1s);
    EXPECT_EQ(connected, 1);
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults.back(), boost::system::errc::too_many_files_open);
    client.out_of_descriptors = false;
    loop.run_for(1s);
    EXPECT_EQ(connected, 2);
}

// ---- events that never come

/// A handle whose regular looks at watched nodes find events that a server loses.
class LostEventTest : public HandleTest {
protected:
    static inline const Acl nobody_reads{{Permission::write, "world", "anyone"}};
    std::vector<WatchEventType> told;
    WatchSink listener = make_watch_sink([this](const WatchEvent& event) { told.push_back(event.type); });

    void run_with_looks(std::chrono::milliseconds length) {
        for (auto passed = 0ms; passed < length; passed += timeout / 16) {
            handle->look_again(most_looks / 16);
            loop.run_for(timeout / 16);
        }
    }
    void watch(Request request) {
        submit(std::move(request));
        loop.run_for(100ms);
    }
    void watch_path(int number) {
        const std::string path = "/a/" + std::to_string(number);
        service.make(path);
        handle->submit(GetRequest{path, listener}, [](const Reply&) {});
    }
};

TEST_F(LostEventTest, EventThatTheServerLosesIsToldByALook) {
    watch(GetRequest{"/a", listener});
    service.lose_events = 1;
    service.change("/a");
    run_with_looks(timeout / 2);
    EXPECT_TRUE(told.empty()) << "not so often";
    run_with_looks(timeout);
    EXPECT_EQ(told, std::vector{WatchEventType::data_changed});
    run_with_looks(3 * timeout);
    EXPECT_EQ(told.size(), 1u);
    EXPECT_EQ(handle->watches(), 0u) << "nobody waits any more";
}

TEST_F(LostEventTest, DeletionOfANodeThatMayNotBeReadIsTold) {
    watch(GetRequest{"/a", listener});
    service.set_acl("/a", nobody_reads);
    run_with_looks(3 * timeout);
    EXPECT_TRUE(told.empty()) << "it exists";
    service.remove("/a");
    run_with_looks(3 * timeout / 2);
    EXPECT_EQ(told, std::vector{WatchEventType::deleted});
}

TEST_F(LostEventTest, CreationOfANodeThatMayNotBeReadIsTold) {
    watch(ExistsRequest{"/b", listener});
    service.lose_events = 1;
    service.make("/b");
    service.set_acl("/b", nobody_reads);
    run_with_looks(3 * timeout / 2);
    EXPECT_EQ(told, std::vector{WatchEventType::created});
}

TEST_F(LostEventTest, WaitForANodeThatCouldNeverBeReadEndsWithIt) {
    service.set_acl("/a", nobody_reads);
    watch(ExistsRequest{"/a", listener});
    EXPECT_EQ(handle->watches(), 0u);
    run_with_looks(2 * timeout);
    EXPECT_TRUE(told.empty());
    service.remove("/a");
    run_with_looks(3 * timeout / 2);
    EXPECT_EQ(told, std::vector{WatchEventType::deleted});
}

TEST_F(LostEventTest, ChildrenThatWereAddedUnseenAreTold) {
    watch(ChildrenRequest{"/a", listener});
    service.lose_events = 1;
    service.make("/a/b");
    run_with_looks(3 * timeout / 2);
    EXPECT_EQ(told, std::vector{WatchEventType::children_changed});
}

TEST_F(LostEventTest, ThousandsOfWaitersShareOneLookASessionTimeout) {
    std::vector<WatchSink> waiters;
    for (int n = 0; n < 3000; ++n) handle->submit(GetRequest{"/a", waiters.emplace_back(nobody())}, [](const Reply&) {});
    run_with_looks(timeout);
    const int before = answers;
    run_with_looks(20 * timeout);
    EXPECT_LE(answers - before, 20);
    EXPECT_GE(answers - before, 12);
}

TEST_F(LostEventTest, AClientsLooksAreBoundedHoweverManyPathsItWatches) {
    constexpr int paths = 5000;
    for (int n = 0; n < paths; ++n) watch_path(n);
    loop.run_for(timeout);
    const int before = answers;
    run_with_looks(10 * timeout);
    EXPECT_LE(answers - before, 10 * static_cast<int>(most_looks));
    EXPECT_GE(answers - before, 9 * static_cast<int>(most_looks)) << "all of them in time";
}

TEST_F(LostEventTest, ASilentConnectionIsNotLookedThrough) {
    watch(GetRequest{"/a", listener});
    service.set_quorum(false);
    run_with_looks(3 * timeout);
    EXPECT_EQ(disconnected, 1);
    service.lose_events = 1;
    service.change("/a");
    service.set_quorum(true);
    run_with_looks(3 * timeout);
    EXPECT_EQ(told, std::vector{WatchEventType::data_changed}) << "once, by the reconnect";
}

} // namespace
} // namespace docent::zk
