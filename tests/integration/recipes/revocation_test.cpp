// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "heard.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;
using docent::testing::FaultProxy;
using docent::testing::Opcode;

using Nodes = std::vector<std::string>;

/// The nodes that were asked to release.
class Requests {
public:
    auto handler() const {
        return [heard = heard_](const std::string& node = "lease") { heard.add(node); };
    }
    Nodes nodes() const { return heard_.all(); }
    bool reach(std::size_t count) const {
        return eventually([&] { return nodes().size() >= count; });
    }

private:
    test::Heard<std::string> heard_;
};

class RevocationTest : public ProxiedTest {
protected:
    explicit RevocationTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    asio::thread_pool pool{1};
    InterProcessMutex mutex{client, "/lock"};
    Requests requests;

    std::string only_node() {
        const auto participants = inspect(other, "/lock").participants;
        return participants.size() == 1 ? participants.front().node_path : "not one node";
    }
    /// Waits until the client would have heard of each write so far.
    void let_it_hear() {
        client.sync();
        client.sync(); // behind the read that a watch event has caused
    }
};

TEST_F(RevocationTest, HandlersMayReleaseOnAnExecutorOfTheirOwn) {
    Lease lease = mutex.acquire();
    std::promise<error_code> released;
    lease.make_revocable(
        [&] {
            error_code ec;
            lease.release(ec);
            released.set_value(ec);
        },
        pool.get_executor());
    auto next = InterProcessMutex(other, "/lock").async_acquire(asio::use_future);
    revoke(other, lease.node_path());
    EXPECT_EQ(released.get_future().get(), error_code{});
    EXPECT_TRUE(next.get().owns());
    EXPECT_EQ(lease.state(), LeaseState::released);
}

TEST_F(RevocationTest, ExecutorsMayEndRightAfterTheLease) {
    for (int i = 0; i < 20; ++i) {
        asio::thread_pool brief{1};
        Lease lease = mutex.acquire();
        lease.make_revocable([told = requests.handler()] { told(); }, brief.get_executor());
        auto asked = async_revoke(other, lease.node_path(), asio::use_future);
        if (i % 2 == 1) asked.get();
    }
}

TEST_F(RevocationTest, OnTheClientsSecondThreadTheyMayBlock) {
    Lease lease = mutex.acquire();
    std::promise<error_code> released;
    lease.make_revocable([&] {
        error_code ec;
        lease.release(ec);
        released.set_value(ec);
    });
    revoke(other, lease.node_path());
    EXPECT_EQ(released.get_future().get(), error_code{});
    EXPECT_TRUE(InterProcessMutex(other, "/lock").acquire().owns());
}

TEST_F(RevocationTest, EveryLaterHoldIsRevocable) {
    mutex.make_revocable(requests.handler());
    Nodes asked;
    const auto ask = [&](const std::string& node) {
        asked.push_back(node);
        revoke(other, node);
        EXPECT_TRUE(requests.reach(asked.size()));
        EXPECT_EQ(requests.nodes(), asked);
    };
    for (int i = 0; i < 2; ++i) {
        const Lease lease = mutex.acquire();
        ask(lease.node_path());
    }
    {
        const std::scoped_lock hold{mutex};
        ask(only_node());
        EXPECT_TRUE(mutex.is_owned_by_current_thread()) << "it is the thread's to unlock";
    }
    {
        const Lease lease = mutex.async_acquire(asio::use_future).get();
        ask(lease.node_path());
    }
    {
        const auto lease = mutex.try_acquire();
        ASSERT_TRUE(lease);
        ask(lease->node_path());
    }
}

TEST_F(RevocationTest, AHoldKeepsTheHandlerThatItWasGrantedWith) {
    Requests later;
    mutex.make_revocable(requests.handler());
    Lease lease = mutex.acquire();
    mutex.make_revocable(later.handler());
    revoke(other, lease.node_path());
    EXPECT_TRUE(requests.reach(1));
    lease.release();

    lease = mutex.acquire();
    mutex.make_revocable(nullptr);
    revoke(other, lease.node_path());
    EXPECT_TRUE(later.reach(1));
    lease.release();

    lease = mutex.acquire();
    revoke(other, lease.node_path());
    let_it_hear();
    EXPECT_EQ(requests.nodes().size() + later.nodes().size(), 2u);
    lease.make_revocable(requests.handler());
    EXPECT_TRUE(requests.reach(2)) << "it was asked for before";
}

TEST_F(RevocationTest, NodesKeepTheirData) {
    InterProcessMutex named(client, "/lock", {.node_data = "the nightly report"});
    named.make_revocable(requests.handler());
    const Lease lease = named.acquire();
    let_it_hear();
    EXPECT_EQ(other.get(lease.node_path()).data, "the nightly report");
    revoke(other, lease.node_path());
    EXPECT_TRUE(requests.reach(1));
}

TEST_F(RevocationTest, ALeaseOutlivesItsMutex) {
    Lease lease;
    {
        InterProcessMutex brief(client, "/lock");
        brief.make_revocable(requests.handler());
        lease = brief.acquire();
    }
    revoke(other, lease.node_path());
    EXPECT_TRUE(requests.reach(1));
}

/// The example of the documentation.
TEST_F(RevocationTest, AThreadThatIsToldUnlocks) {
    std::stop_source wanted;
    mutex.make_revocable([wanted](const std::string&) mutable { wanted.request_stop(); });
    std::promise<void> holds;
    std::thread holder([&] {
        const std::scoped_lock hold{mutex};
        holds.set_value();
        while (!wanted.stop_requested()) std::this_thread::yield();
    });
    holds.get_future().get();
    revoke(other, only_node());
    EXPECT_TRUE(InterProcessMutex(other, "/lock").try_acquire_for(generous));
    wanted.request_stop(); // ends the thread in any case
    holder.join();
}

TEST_F(RevocationTest, BothSidesOfAReadWriteLock) {
    InterProcessReadWriteLock lock(client, "/lock");
    Requests writing;
    lock.read_lock().make_revocable(requests.handler());
    lock.write_lock().make_revocable(writing.handler());

    Lease write = lock.write_lock().acquire();
    revoke(other, write.node_path());
    ASSERT_TRUE(writing.reach(1));
    EXPECT_EQ(writing.nodes(), Nodes{write.node_path()});
    write.release();

    const Lease first = lock.read_lock().acquire();
    const Lease second = lock.read_lock().acquire();
    revoke(other, second.node_path());
    ASSERT_TRUE(requests.reach(1));
    revoke(other, first.node_path());
    ASSERT_TRUE(requests.reach(2));
    EXPECT_EQ(requests.nodes(), (Nodes{second.node_path(), first.node_path()}));
    EXPECT_EQ(writing.nodes().size(), 1u);
}

TEST_F(RevocationTest, AThreadThatWritesAndReads) {
    InterProcessReadWriteLock lock(client, "/lock");
    lock.read_lock().make_revocable(requests.handler());
    const std::scoped_lock writing{lock};
    const std::shared_lock reading{lock}; // beside the first reader
    const auto participants = inspect(other, "/lock").participants;
    ASSERT_EQ(participants.size(), 2u);
    for (const auto& one : participants) revoke(other, one.node_path);
    EXPECT_TRUE(requests.reach(1));
    let_it_hear();
    ASSERT_EQ(requests.nodes().size(), 1u);
    EXPECT_NE(requests.nodes().front().find("__READ__"), std::string::npos);
}

TEST_F(RevocationTest, ALeaseOfADowngradeIsRevocableByItself) {
    InterProcessReadWriteLock lock(client, "/lock");
    Requests writing;
    Lease write = lock.write_lock().acquire();
    write.make_revocable([told = writing.handler()] { told(); });
    Lease read = write.downgrade();
    revoke(other, read.node_path());
    read.make_revocable([told = requests.handler()] { told(); });
    EXPECT_TRUE(requests.reach(1));
    EXPECT_TRUE(writing.nodes().empty());
}

TEST_F(RevocationTest, InANamespace) {
    Client view = client.in_namespace("app");
    InterProcessMutex spaced(view, "/lock");
    spaced.make_revocable(requests.handler());
    const Lease lease = spaced.acquire();
    revoke(other, "/app" + lease.node_path());
    ASSERT_TRUE(requests.reach(1));
    EXPECT_EQ(requests.nodes(), Nodes{lease.node_path()});
}

TEST_F(RevocationTest, AnAcquireDoesNotWaitForIt) {
    mutex.make_revocable(requests.handler());
    other.create("/lock", "", {.mode = CreateMode::container});
    const auto reads = proxy.requests(Opcode::get);
    proxy.on_forwarded(Opcode::get, [this] { proxy.black_hole(); }); // the read is not answered
    const Lease lease = mutex.acquire({.timeout = 3s});
    EXPECT_TRUE(lease.owns());
    ASSERT_TRUE(eventually([&] { return proxy.requests(Opcode::get) > reads; }));
    revoke(other, lease.node_path());
    proxy.heal();
    EXPECT_TRUE(requests.reach(1));
}

struct RevocationRestart : RevocationTest {
    RevocationRestart() : RevocationTest(Sessions::outlast_restarts) {}
};

TEST_F(RevocationRestart, LosesNoRequest) {
    mutex.make_revocable(requests.handler());
    const Lease first = mutex.acquire();
    server.restart();
    revoke(client, first.node_path());
    EXPECT_TRUE(requests.reach(1));

    InterProcessMutex second(client, "/second");
    Lease lease = second.acquire();
    revoke(client, lease.node_path());
    server.restart();
    lease.make_revocable([told = requests.handler()] { told(); });
    EXPECT_TRUE(requests.reach(2));
}

TEST_F(RevocationTest, ClosedClientsAreQuiet) {
    Lease lease = mutex.acquire();
    client.close();
    lease.make_revocable([told = requests.handler()] { told(); });
    mutex.make_revocable(requests.handler());
    error_code ec;
    revoke(other, lease.node_path(), ec);
    EXPECT_TRUE(requests.nodes().empty());
}

class RevokeTest : public ProxiedTest {
protected:
    Lease lease;
    std::string node;

    void SetUp() override {
        ProxiedTest::SetUp();
        lease = InterProcessMutex(other, "/locks/job").acquire();
        node = lease.node_path();
    }
    std::string data(const std::string& path) { return other.get(path).data; }
};

TEST_F(RevokeTest, WritesTheMarkerOfCurator) {
    revoke(client, node);
    EXPECT_EQ(data(node), "__REVOKE__");
    async_revoke(client, node, asio::use_future).get();
    EXPECT_EQ(data(node), "__REVOKE__");
    EXPECT_TRUE(lease.owns()) << "who does not listen is not disturbed";
}

TEST_F(RevokeTest, IsNeverCompressed) {
    Client packing =
        started({.connect_string = server.connect_string(), .name_space = "locks", .compression = Compression::compressed});
    revoke(packing, node.substr(std::string("/locks").size()));
    EXPECT_EQ(data(node), "__REVOKE__");
}

TEST_F(RevokeTest, IsWrittenAgainAfterALostReply) {
    for (const auto cut : {&FaultProxy::cut_before_request, &FaultProxy::cut_before_reply}) {
        other.set(node, "reset");
        (proxy.*cut)(Opcode::set);
        revoke(client, node);
        EXPECT_EQ(data(node), "__REVOKE__");
        proxy.heal();
    }
}

TEST_F(RevokeTest, RefusesAPathThatIsNoNodeOfALock) {
    other.create("/config/block-0000000001", "precious", {.parents = Parents::persistent});
    for (const char* path : {"/config", "/config/block-0000000001", "/locks/job"}) {
        const NodeData before = other.get(path);
        error_code ec;
        revoke(client, path, ec);
        EXPECT_EQ(ec, server_error::bad_arguments) << path;
        EXPECT_EQ(other.get(path), before);
    }
    EXPECT_EQ(proxy.requests(Opcode::set), 0u);
    error_code ec;
    revoke(client, "locks", ec);
    EXPECT_EQ(ec, error::invalid_path);
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "/locks/job, which is not the node of a lock",
                        failure_of([&] { revoke(client, "/locks/job"); }).text);
}

TEST_F(RevokeTest, FailsIfNoHolderIsLeft) {
    lease.release();
    error_code ec;
    revoke(client, node, ec);
    EXPECT_EQ(ec, server_error::no_node);
    EXPECT_THROW(revoke(client, node), Error);
    client.close();
    revoke(client, node, ec);
    EXPECT_EQ(ec, error::closed);
}

} // namespace
} // namespace docent
