// SPDX-License-Identifier: Apache-2.0

// Requests to release. The holder's side is tested with the revocable leases.

#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

namespace docent {
namespace {

using docent::testing::FaultProxy;
using docent::testing::Opcode;

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
    revoke(client, node);
    EXPECT_EQ(data(node), "__REVOKE__");
    EXPECT_TRUE(lease.owns()) << "who does not listen is not disturbed";
}

TEST_F(RevokeTest, Asynchronously) {
    async_revoke(client, node, asio::use_future).get();
    EXPECT_EQ(data(node), "__REVOKE__");
}

TEST_F(RevokeTest, IsNeverCompressed) {
    Client packing{{.connect_string = server.connect_string(), .name_space = "locks", .compression = Compression::compressed}};
    packing.start();
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
    try {
        revoke(client, "/locks/job");
        ADD_FAILURE() << "not refused";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("/locks/job, which is not the node of a lock"), std::string::npos) << e.what();
    }
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
