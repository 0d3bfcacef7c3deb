// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::AnyServer;
using docent::testing::FaultProxy;
using docent::testing::Opcode;
using enum SessionState;

class TransactionTest : public ProxiedTest {
protected:
    void SetUp() override {
        ProxiedTest::SetUp();
        make("/a", "a");
        make("/b", "b");
    }
    /// Makes a node, also if the server gets no processor for so long that the answer to the first try is lost.
    void make(const std::string& path, const std::string& data) {
        error_code ec;
        other.create(path, data, ec);
        ASSERT_TRUE(!ec || ec == server_error::node_exists) << ec.message();
    }
    std::size_t markers() {
        error_code ec;
        other.sync();
        return other.children("/docent/transactions", ec).names.size();
    }
};

TEST_F(TransactionTest, AppliesAllInOrder) {
    Transaction tx;
    tx.create("/made", "x").set_data("/a", "new", 0).remove("/b", 0).check("/made");
    tx.create("/made/s-", "", CreateMode::ephemeral_sequential);
    const TransactionResult result = client.commit(tx);
    ASSERT_EQ(result.operations.size(), 5u);
    EXPECT_EQ(result.operations[0].result_path, "/made");
    EXPECT_EQ(result.operations[1].stat->version, 1);
    EXPECT_EQ(result.operations[4].result_path, "/made/s-0000000000");
    for (const auto& operation : result.operations) EXPECT_FALSE(operation.ec);
    EXPECT_EQ(result.fencing_token, other.get("/made").stat.czxid) << "one zxid for all";
    EXPECT_EQ(other.get("/a").data, "new");
    EXPECT_FALSE(other.exists("/b"));
    EXPECT_TRUE(client.commit(Transaction{}).operations.empty());
}

TEST_F(TransactionTest, RejectedNamesTheOperationAndAppliesNothing) {
    Transaction tx;
    tx.create("/made").set_data("/a", "new").check("/b", 9).remove("/b");
    try {
        client.commit(tx);
        FAIL();
    } catch (const TransactionError& e) {
        EXPECT_EQ(e.code(), server_error::bad_version);
        EXPECT_EQ(e.result().failed_operation, 2u);
        EXPECT_NE(std::string(e.what()).find("operations[2] on /b"), std::string::npos) << e.what();
        for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(e.result().operations[i].ec) << i;
        EXPECT_EQ(e.result().operations[0].ec, error::not_applied);
    }
    EXPECT_FALSE(other.exists("/made"));
    EXPECT_EQ(other.get("/a").data, "a");
}

/// The C client would abort the process for such requests.
TEST_F(TransactionTest, BadOperationsNeverReachTheCClient) {
    for (const char* path : {"", "bad", "/x/", "/a//b"}) {
        error_code ec;
        client.commit(Transaction().create("/fine").check(path), ec);
        EXPECT_EQ(ec, error::invalid_path) << path;
    }
    error_code ec;
    client.commit(Transaction().create("/c", "", CreateMode::container), ec);
    EXPECT_EQ(ec, server_error::unimplemented);
    client.commit(Transaction().set_data("/a", std::string(600'000, 'x')).set_data("/b", std::string(600'000, 'x')), ec);
    EXPECT_EQ(ec, error::too_large);
    EXPECT_FALSE(other.exists("/fine"));
    EXPECT_EQ(client.session().epoch, 1u);
}

TEST_F(TransactionTest, InsideANamespaceAndWithAcls) {
    Client inner = started({.connect_string = server.connect_string(), .name_space = "ns", .auth = {{"digest", "u:p"}}});
    inner.create("/x");
    const auto result = inner.commit(Transaction()
                                         .create("/x/s-", "1", CreateMode::persistent_sequential)
                                         .create("/secret", "2", CreateMode::persistent, {{Permission::all, "auth", ""}}));
    EXPECT_EQ(result.operations[0].result_path, "/x/s-0000000000");
    EXPECT_EQ(other.get("/ns/x/s-0000000000").data, "1");
    error_code ec;
    other.get("/ns/secret", ec);
    EXPECT_EQ(ec, server_error::no_auth);
}

TEST_F(TransactionTest, FencingTokenOfACreatedNode) {
    const auto result = client.commit(Transaction().create("/one").create("/two").with_fencing_token());
    EXPECT_EQ(result.operations.size(), 2u);
    EXPECT_EQ(result.fencing_token, other.get("/one").stat.czxid);
    EXPECT_EQ(result.fencing_token, other.get("/two").stat.czxid);
    EXPECT_EQ(other.children("/").names.size(), 5u) << "a b one two zookeeper";
}

TEST_F(TransactionTest, GuardLetsTheHolderThrough) {
    InterProcessMutex mutex{client, "/lock"};
    InterProcessMutex second{client, "/second"};
    Lease lease = mutex.acquire();
    Lease another = second.acquire();
    EXPECT_EQ(client.commit(Transaction().guard(lease).guard(another).set_data("/a", "1")).operations[0].stat->version, 1);
    lease.release();
    error_code ec;
    const auto result = client.commit(Transaction().guard(lease).guard(another).set_data("/a", "2"), ec);
    EXPECT_EQ(ec, error::lease_released);
    EXPECT_FALSE(result.failed_operation);
    EXPECT_EQ(other.get("/a").data, "1");

    {
        std::scoped_lock hold{mutex};
        client.commit(Transaction().guard(mutex).set_data("/a", "3"));
    }
    EXPECT_EQ(other.get("/a").data, "3");
    EXPECT_THROW(Transaction().guard(mutex), Error);
    const Lease none;
    client.commit(Transaction().guard(none).set_data("/a", "4"), ec);
    EXPECT_EQ(ec, error::lease_released);
}

/// A hundred holders are cut off until the server has expired their sessions. Each commits as soon as it is connected again.
TEST(StaleHolders, CannotCommitGuardedWrites) {
    constexpr int count = 100;
    AnyServer server{{.tick_time = 100ms}};
    FaultProxy proxy{server.port()};
    Client other = started({.connect_string = server.connect_string()});
    other.create("/target", "untouched");
    other.create("/locks");

    struct Holder {
        std::unique_ptr<Client> client;
        Lease lease;
        std::future<TransactionResult> result;
    };
    std::vector<Holder> holders;
    for (int i = 0; i < count; ++i) {
        auto client = std::make_unique<Client>(ClientConfig{.connect_string = proxy.connect_string(), .session_timeout = 2s});
        client->start();
        InterProcessMutex mutex{*client, "/locks/" + std::to_string(i)};
        Lease lease = mutex.acquire();
        holders.push_back({std::move(client), std::move(lease), {}});
    }
    proxy.black_hole();
    for (Holder& holder : holders) {
        auto watched = other.exists_watched(holder.lease.node_path());
        if (watched.value) watched.watch.wait({.timeout = generous});
    }
    // Names the lock by its path, so that the client's knowledge of the loss cannot be the reason for the refusal.
    const auto overwrite = [](const Holder& holder) {
        return Transaction().guard(holder.lease.node_path()).set_data("/target", "overwritten");
    };
    for (Holder& holder : holders) holder.result = holder.client->async_commit(overwrite(holder), asio::use_future);
    proxy.heal();
    int refused = 0;
    for (Holder& holder : holders) {
        error_code ec = failure_of([&] { return holder.result.get(); }).code;
        // Of so many holders, some lose their new connection too on a slow machine: the server has not answered their commit.
        while (ec == condition::outcome_unknown || ec == error::not_connected) holder.client->commit(overwrite(holder), ec);
        EXPECT_EQ(ec, error::lease_lost) << ec.message();
        if (ec == error::lease_lost) ++refused;
        holder.client->commit(Transaction().guard(holder.lease).set_data("/target", "overwritten"), ec);
        EXPECT_EQ(ec, error::lease_lost);
    }
    EXPECT_EQ(refused, count);
    EXPECT_EQ(other.get("/target").data, "untouched");
}

TEST_F(TransactionTest, LostReplyIsReportedAsDoubtAndNotRepeated) {
    proxy.cut_before_reply(Opcode::multi);
    error_code ec;
    const auto result = client.commit(Transaction().set_data("/a", "1"), ec);
    EXPECT_EQ(ec, condition::outcome_unknown) << ec.message();
    EXPECT_TRUE(result.operations.empty());
    EXPECT_EQ(other.get("/a").stat.version, 1);
}

TEST_F(TransactionTest, ExactlyOnceKnowsThatItWasApplied) {
    for (const bool again : {false, true}) { // with a new marker, and with a marker that was used before
        proxy.cut_before_reply(Opcode::multi);
        proxy.cut_before_reply(Opcode::get); // of the read that follows
        const std::string made = again ? "/made-again" : "/made";
        const auto before = other.get("/a").stat.version;
        const auto result = client.commit(Transaction().set_data("/a", "1").create(made).exactly_once());
        EXPECT_TRUE(proxy.wait_cuts(2, 0ms));
        EXPECT_TRUE(result.recovered);
        EXPECT_EQ(result.fencing_token, other.get(made).stat.czxid);
        EXPECT_EQ(result.operations[1].result_path, made);
        EXPECT_EQ(other.get("/a").stat.version, before + 1);
        EXPECT_EQ(markers(), 1u);
    }
}

TEST_F(TransactionTest, ExactlyOnceMakesItsMarkersParentAndTheMarkerGoesWithTheSession) {
    {
        Client brief = started({.connect_string = server.connect_string()});
        const auto result = brief.commit(Transaction().create("/made").exactly_once());
        EXPECT_EQ(result.fencing_token, other.get("/made").stat.czxid);
        EXPECT_EQ(markers(), 1u);
    }
    EXPECT_EQ(markers(), 0u);
}

} // namespace
} // namespace docent
