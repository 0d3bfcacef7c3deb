// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace docent {
namespace {

using docent::test::eventually;

class InspectionTest : public ::testing::Test {
protected:
    docent::test::AnyServer server;
    Client one = started({.connect_string = server.connect_string(), .default_data = "machine one"});
    Client two = started({.connect_string = server.connect_string(), .name_space = "ns", .default_data = "machine two"});
};

TEST_F(InspectionTest, ShowsHoldersAndWaiters) {
    Lease held = InterProcessMutex(one, "/ns/lock").acquire();
    InterProcessMutex mutex(two, "/lock");
    auto waiting = mutex.async_acquire(boost::asio::use_future);
    one.create("/ns/lock/foreign");
    ASSERT_TRUE(eventually([&] { return inspect(two, "/lock").participants.size() == 2; }));
    const Inspection seen = inspect(two, "/lock");
    EXPECT_EQ(seen.strangers, std::vector<std::string>{"foreign"});
    const Participant& first = seen.participants[0];
    EXPECT_EQ("/ns" + first.node_path, held.node_path());
    EXPECT_EQ(first.recipe, RecipeKind::mutex);
    EXPECT_TRUE(first.holds);
    EXPECT_EQ(first.data, "machine one");
    EXPECT_EQ(first.session_id, one.session().session_id);
    EXPECT_EQ(first.fencing_token, held.fencing_token());
    EXPECT_EQ(first.created, two.exists(first.node_path)->ctime);
    const Participant& second = seen.participants[1];
    EXPECT_FALSE(second.holds);
    EXPECT_EQ(second.position, 1u);
    EXPECT_EQ(second.data, "machine two");
    EXPECT_EQ(second.session_id, two.session().session_id);
    EXPECT_EQ(async_inspect(one, "/ns/lock", boost::asio::use_future).get().participants.size(), 2u);
    held.release();
    std::ignore = waiting.get();
}

TEST_F(InspectionTest, OwnersStandBesideTheData) {
    const Lease owned = InterProcessMutex(one, "/ns/a", {.node_data = "ann\n", .owner = "ann/1"}).acquire();
    const Lease by_default = InterProcessMutex(one, "/ns/b", {.owner = "bob"}).acquire();
    const Lease without = InterProcessMutex(one, "/ns/c", {.node_data = "carl"}).acquire();
    const auto first_at = [&](const char* path) { return inspect(two, path).participants.at(0); };
    EXPECT_EQ(first_at("/a").data, "ann\n");
    EXPECT_EQ(first_at("/a").owner, "ann/1");
    EXPECT_EQ(first_at("/b").data, "machine one");
    EXPECT_EQ(first_at("/b").owner, "bob");
    EXPECT_EQ(first_at("/c").owner, "");
    EXPECT_EQ(one.get(without.node_path()).data, "carl") << "nothing is added unless it is asked for";
    EXPECT_EQ(split_owner(one.get(owned.node_path()).data), (OwnedData{"ann\n", "ann/1"}));
    EXPECT_THROW(InterProcessMutex(one, "/ns/d", {.owner = "two words"}), Error);
    EXPECT_THROW(InterProcessSemaphore(one, "/ns/d", 1, {.owner = ""}), Error);
}

TEST_F(InspectionTest, OwnersOfCompressedData) {
    Client packing = started({.connect_string = server.connect_string(), .compression = Compression::compressed});
    const std::string long_label(1000, 'l');
    const Lease lease = InterProcessMutex(packing, "/packed", {.node_data = long_label, .owner = "ann"}).acquire();
    const Participant seen = inspect(packing, "/packed").participants.at(0);
    EXPECT_EQ(seen.data, long_label);
    EXPECT_EQ(seen.owner, "ann");
}

TEST_F(InspectionTest, AWaiterAtAGateHasALabel) {
    InterProcessSemaphore semaphore(one, "/ns/permits", 1, {.node_data = "ann", .owner = "ann/1"});
    const Lease permit = semaphore.acquire();
    auto waiting = semaphore.async_acquire(boost::asio::use_future);
    ASSERT_TRUE(eventually([&] { return inspect(two, "/permits").participants.size() == 3; }));
    for (const Participant& each : inspect(two, "/permits").participants) {
        EXPECT_EQ(each.data, "ann") << each.node_path;
        EXPECT_EQ(each.owner, "ann/1") << each.node_path;
    }
    one.close();
}

/// One of the two leases is held, the other one is reserved and waits for it.
TEST_F(InspectionTest, NodesDoNotTellWhichLeaseIsOnlyReserved) {
    InterProcessSemaphore semaphore(one, "/s", 1);
    const auto reaches = [&](std::size_t leases, std::size_t at_gate) {
        return eventually([&] {
            const auto seen = inspect(one, "/s").participants;
            const auto found = std::count_if(seen.begin(), seen.end(),
                                             [](const Participant& each) { return each.kind == ParticipantKind::lease; });
            return static_cast<std::size_t>(found) == leases && seen.size() == leases + at_gate;
        });
    };
    Lease first = semaphore.acquire();
    auto second = semaphore.async_acquire(boost::asio::use_future);
    ASSERT_TRUE(reaches(2, 1));
    auto third = semaphore.async_acquire(boost::asio::use_future);
    ASSERT_TRUE(reaches(2, 2));
    auto fourth = semaphore.async_acquire(boost::asio::use_future);
    ASSERT_TRUE(reaches(2, 3));
    first.release();
    second.get().release();
    const Lease held = third.get();
    ASSERT_TRUE(reaches(2, 1));
    const auto seen = inspect(one, "/s").participants;
    EXPECT_EQ(seen[0].node_path, held.node_path());
    for (const Participant* lease : {&seen[0], &seen[1]}) {
        EXPECT_EQ(lease->kind, ParticipantKind::lease);
        EXPECT_EQ(lease->session_id, seen[2].session_id);
        EXPECT_GT(lease->fencing_token, seen[2].fencing_token) << "newer than the node at the gate";
        EXPECT_TRUE(lease->holds);
    }
    EXPECT_FALSE(seen[2].holds);
}

TEST_F(InspectionTest, OfAFreeLock) {
    error_code ec;
    inspect(one, "/none", ec);
    EXPECT_EQ(ec, server_error::no_node);
    one.create("/empty", "");
    EXPECT_EQ(inspect(one, "/empty"), Inspection{});
    inspect(one, "bad", ec);
    EXPECT_EQ(ec, error::invalid_path);
    one.close();
    inspect(one, "/empty", ec);
    EXPECT_EQ(ec, error::closed);
}

} // namespace
} // namespace docent
