// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "patient_cluster.hpp"
#include "queue_at.hpp"

#include <docent/docent.hpp>
#include <docent/testing/testing_cluster.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <string>
#include <vector>

namespace docent {
namespace {

using docent::testing::TestingCluster;
using test::eventually;
using enum SessionState;

/// Returns the other one of the two nodes in /locks/job.
std::string second_node(const std::vector<std::string>& names, const std::string& first) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& name) { return !first.ends_with(name); });
    return found == names.end() ? "" : "/locks/job/" + *found;
}

/// A holder and two waiters, each with its session.
class ClusterMutex : public ::testing::Test {
protected:
    TestingCluster cluster{patient_cluster()};
    ClientConfig config{.connect_string = cluster.connect_string(), .session_timeout = patient_timeout};
    Client holder{config};
    Client second{config};
    Client third{config};
    InterProcessMutex mutex{holder, "/locks/job"};
    InterProcessMutex second_mutex{second, "/locks/job"};
    InterProcessMutex third_mutex{third, "/locks/job"};
    SessionWatcher session{holder};

    void SetUp() override {
        for (Client* client : {&holder, &second, &third}) {
            client->start();
            client->wait_connected();
        }
        session.until(connected);
    }
    /// The full paths in the order of the queue, read from an up-to-date server.
    std::vector<std::string> queue() {
        auto nodes = test::try_queue_at(holder, "/locks/job").value();
        for (std::string& node : nodes) node.insert(0, "/locks/job/");
        return nodes;
    }
    bool queue_reaches(std::size_t length) { return test::queue_reaches(holder, "/locks/job", length); }
    void kill_and_restart(std::size_t server, const std::function<void()>& meanwhile) {
        cluster.server(server).kill();
        meanwhile();
        cluster.server(server).start();
        cluster.wait_for_quorum();
    }
};

TEST_F(ClusterMutex, HolderKeepsItAndWaitersTheirPlacesThroughTheDeathOfTheirServers) {
    Lease held = mutex.acquire();
    auto next = second_mutex.async_acquire(asio::use_future);
    ASSERT_TRUE(queue_reaches(2));
    auto last = third_mutex.async_acquire(asio::use_future);
    ASSERT_TRUE(queue_reaches(3));
    const std::vector<std::string> before = queue();
    ASSERT_EQ(before.front(), held.node_path());

    kill_and_restart(server_of(holder, cluster), [&] {
        session.until(suspended);
        session.until(connected);
        EXPECT_TRUE(held.owns());
        EXPECT_TRUE(eventually([&] { return held.state() == LeaseState::held; }));
        EXPECT_EQ(queue(), before);
    });
    kill_and_restart(server_of(second, cluster), [&] { EXPECT_EQ(queue(), before); });
    kill_and_restart(server_of(third, cluster), [&] { EXPECT_EQ(queue(), before); });
    EXPECT_TRUE(held.owns());
    EXPECT_FALSE(held.stop_token().stop_requested());

    EXPECT_EQ(next.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    held.release();
    Lease second_lease = next.get();
    EXPECT_EQ(second_lease.node_path(), before[1]);
    EXPECT_GT(second_lease.fencing_token(), held.fencing_token());
    EXPECT_EQ(last.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    second_lease.release();
    EXPECT_EQ(last.get().node_path(), before[2]);
}

/// The holder releases the lock while the ensemble has no leader. The waiter hears of it from another server than the holder's.
TEST_F(ClusterMutex, ReleaseDuringAnElectionReachesTheNextOne) {
    Lease held = mutex.acquire();
    auto next = second_mutex.async_acquire(asio::use_future);
    ASSERT_TRUE(queue_reaches(2));
    const std::string node = queue().back();
    const std::size_t leader = cluster.leader().value();
    cluster.server(leader).kill();
    error_code ec;
    held.release(ec);
    EXPECT_FALSE(ec) << ec.message();
    EXPECT_EQ(next.get().node_path(), node);
    cluster.server(leader).start();
    cluster.wait_for_quorum();
}

/// A missing quorum ends no session, however long it lasts: locks and queues stay as they were.
TEST(ClusterOutage, SessionsTheirNodesAndWaitersOutliveIt) {
    using namespace std::chrono_literals;
    constexpr auto timeout = 10s;
    TestingCluster cluster;
    const ClientConfig config{.connect_string = cluster.connect_string(), .session_timeout = timeout, .connection_timeout = 2s};
    Client holder{config};
    Client waiter{config};
    SessionWatcher held_session(holder);
    SessionWatcher waiting_session(waiter);
    holder.start();
    waiter.start();
    const SessionEvent held_before = held_session.until(connected);
    const SessionEvent waiting_before = waiting_session.until(connected);
    InterProcessMutex mutex{holder, "/locks/job"};
    InterProcessMutex second{waiter, "/locks/job"};
    Lease lease = mutex.acquire();
    auto next = second.async_acquire(asio::use_future);
    holder.create("/e", "", {.mode = CreateMode::ephemeral});
    const auto queue = [&] { return holder.children("/locks/job").names; };
    ASSERT_TRUE(eventually([&] { return queue().size() == 2; }));
    const std::vector<std::string> before = queue();

    const std::size_t left = server_of(waiter, cluster);
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        if (i != left) cluster.server(i).kill();
    }
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(held_session.until(lost).reason, error::not_connected);
    EXPECT_EQ(waiting_session.until(lost).reason, error::not_connected);
    // Meanwhile the remaining server closes the connections of both clients, as a server with older data does.
    EXPECT_TRUE(eventually([&] { return std::chrono::steady_clock::now() - begin > 2 * timeout; }));
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        if (i != left) cluster.server(i).start();
    }
    cluster.wait_for_quorum();
    EXPECT_EQ(held_session.until(connected), held_before);
    EXPECT_EQ(waiting_session.until(connected), waiting_before);
    const auto node = holder.exists("/e");
    ASSERT_TRUE(node);
    EXPECT_EQ(node->ephemeral_owner, held_before.session_id);
    EXPECT_FALSE(lease.owns()) << "lost, as far as its holder could know: that is final";
    error_code ec;
    lease.release(ec);
    ASSERT_EQ(next.wait_for(generous), std::future_status::ready);
    EXPECT_EQ(next.get().node_path(), second_node(before, lease.node_path())) << "its place is the one it had";
}

} // namespace
} // namespace docent
