// SPDX-License-Identifier: Apache-2.0

// Nodes that a client may not read. Servers drop the events of such nodes (ZOOKEEPER-4799, also in Debian's 3.8.0), and since
// 3.8.4 and 3.9.2 they refuse `exists` (ZOOKEEPER-2590). Waiters get on nevertheless, because the client looks at the node
// itself. The unit tests of the recipes have more cases.

#include "clients.hpp"
#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using docent::test::eventually;

/// The client `member` belongs to the team. The client `stranger` may not read nodes with the ACL `team`.
class UnreadableNodes : public ::testing::Test {
protected:
    const Acl team{{Permission::all, "digest", "team:mdhz9mZ933Vz8RV6U9bAJnrL0wk="}};
    docent::test::AnyServer server;
    Client member =
        started({.connect_string = server.connect_string(),
                 .auth = {{"digest", "team:hunter2"}},
                 .ensemble_tracking = EnsembleTracking::off}); // ensemble tracking sets a watch, which would be counted
    Client stranger =
        started({.connect_string = server.connect_string(), .session_timeout = 2s, .ensemble_tracking = EnsembleTracking::off});

    /// Returns a client whose nodes no client may read, not even itself.
    Client client_without_read() const {
        const Acl blind{{Permission::write | Permission::create | Permission::delete_, "world", "anyone"}};
        return started({.connect_string = server.connect_string(),
                        .session_timeout = 2s,
                        .default_acl = blind,
                        .ensemble_tracking = EnsembleTracking::off});
    }
    const CallOptions long_enough{.timeout = 30s};
    /// Returns true if the future is not ready although it had time.
    template <typename Future> static bool waits(Future& future) {
        return future.wait_for(200ms) == std::future_status::timeout;
    }
    bool watches_reach(std::int64_t count) {
        return eventually([&] { return server.metric("zk_watch_count") == count; });
    }
};

TEST_F(UnreadableNodes, AWaiterIsAdmittedThoughItsPredecessorsNodeBecameUnreadable) {
    Lease holder = InterProcessMutex(member, "/lock").acquire();
    InterProcessMutex mutex(stranger, "/lock");
    auto waiting = mutex.async_acquire(long_enough, use_future);
    ASSERT_TRUE(watches_reach(2)) << "its own node, and the one ahead";
    member.set_acl(holder.node_path(), team);
    EXPECT_TRUE(waits(waiting));
    holder.release();
    EXPECT_TRUE(waiting.get().owns());
}

TEST_F(UnreadableNodes, AWaiterIsAdmittedBehindAPredecessorThatItMayNotRead) {
    Lease holder = InterProcessMutex(member, "/lock").acquire();
    member.set_acl(holder.node_path(), team);
    InterProcessMutex mutex(stranger, "/lock");
    auto waiting = mutex.async_acquire(long_enough, use_future);
    ASSERT_TRUE(eventually([&] { return member.children("/lock").names.size() == 2; }));
    EXPECT_TRUE(waits(waiting));
    holder.release();
    EXPECT_TRUE(waiting.get().owns());
}

TEST_F(UnreadableNodes, AWaiterThatMayNotReadItsOwnNodeFailsAndLeavesNoNode) {
    Lease holder = InterProcessMutex(member, "/lock").acquire();
    Client hidden = client_without_read();
    InterProcessMutex mutex(hidden, "/lock");
    const Failure failure = failure_of([&] { return mutex.acquire(long_enough); });
    EXPECT_EQ(failure.code, server_error::no_auth);
    EXPECT_NE(failure.text.find("/lock"), std::string::npos) << failure.text;
    EXPECT_TRUE(eventually([&] { return member.children("/lock").names.size() == 1; })) << "its node is left";
    holder.release();
    EXPECT_TRUE(mutex.acquire(long_enough).owns()) << "a free lock needs no READ of the node";
}

TEST_F(UnreadableNodes, AnInspectionShowsThemWithoutTheirData) {
    const Lease holder = InterProcessMutex(member, "/lock", {.node_data = "secret"}).acquire();
    member.set_acl(holder.node_path(), team);
    const Inspection found = inspect(stranger, "/lock");
    ASSERT_EQ(found.participants.size(), 1U);
    const Participant& one = found.participants.front();
    EXPECT_EQ(one.node_path, holder.node_path());
    EXPECT_TRUE(one.holds);
    EXPECT_FALSE(one.readable);
    EXPECT_EQ(one.data, "");
    EXPECT_TRUE(one.session_id == 0 || one.session_id == member.session().session_id) << "by the version of the server";
}

TEST_F(UnreadableNodes, ASemaphoresWaiterIsAdmittedThoughItsListBecameUnreadableForAWhile) {
    Lease holder = InterProcessSemaphore(member, "/seats", 1).acquire();
    InterProcessSemaphore seats(stranger, "/seats", 1);
    auto waiting = seats.async_acquire(long_enough, use_future);
    ASSERT_TRUE(watches_reach(2)) << "the list, and its place at the gate";
    member.set_acl("/seats/leases", team);
    holder.release();
    EXPECT_TRUE(waits(waiting));
    member.set_acl("/seats/leases", open_acl());
    EXPECT_TRUE(waiting.get().owns());
}

TEST_F(UnreadableNodes, MembersOfADoubleBarrierGoInAndOut) {
    Client hidden = client_without_read();
    member.create("/work");
    DistributedDoubleBarrier ours(stranger, "/work", 2);
    DistributedDoubleBarrier theirs(hidden, "/work", 2);
    auto entering = theirs.async_enter(long_enough, use_future);
    ASSERT_TRUE(eventually([&] { return server.metric("zk_watch_count") > 0; })) << "its node is made";
    EXPECT_TRUE(waits(entering));
    EXPECT_NO_THROW(ours.enter(long_enough)); // makes `ready`: the check in that transaction needs READ
    EXPECT_NO_THROW(entering.get());
    auto leaving = ours.async_leave(long_enough, use_future);
    EXPECT_TRUE(waits(leaving));
    EXPECT_NO_THROW(theirs.leave(long_enough));
    EXPECT_NO_THROW(leaving.get());
}

TEST_F(UnreadableNodes, AWatchTellsOfTheCreationOfANode) {
    auto watched = stranger.exists_watched("/later");
    ASSERT_FALSE(watched.value);
    member.create("/later", "", {.acl = team});
    EXPECT_EQ(watched.watch.wait(long_enough).type, WatchEventType::created);
}

TEST_F(UnreadableNodes, ACacheHearsOfTheEndOfANodeThatBecameUnreadable) {
    member.create("/a", "x");
    NodeCache cache(stranger, "/a");
    cache.start();
    ASSERT_TRUE(eventually([&] { return cache.get() != nullptr; }));
    member.set_acl("/a", team);
    member.remove("/a");
    EXPECT_TRUE(eventually([&] { return cache.get() == nullptr; }));
}

TEST_F(UnreadableNodes, APersistentNodeIsMadeWhenTheUnreadableNodeInItsWayHasGone) {
    member.create("/c", "x", {.mode = CreateMode::ephemeral, .acl = team});
    PersistentNode node(stranger, "/c");
    error_code ec;
    node.start(ec);
    node.await_node(ec, {.timeout = 300ms});
    EXPECT_TRUE(ec);
    member.remove("/c");
    EXPECT_TRUE(eventually([&] { return node.node_path() == "/c"; }));
}

TEST_F(UnreadableNodes, ASharedValueIsReadWhenItCanBeReadAgain) {
    member.create("/v", "1");
    SharedValue value(stranger, "/v", "seed");
    value.start();
    member.set_acl("/v", team);
    member.set("/v", "2");
    EXPECT_EQ(value.get().value, "1");
    member.set_acl("/v", open_acl());
    EXPECT_TRUE(eventually([&] { return value.get().value == "2"; }));
}

} // namespace
} // namespace docent
