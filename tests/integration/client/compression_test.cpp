// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace docent {
namespace {

class CompressionTest : public ::testing::Test {
protected:
    docent::test::AnyServer server;
    const std::string text = std::string(100'000, 'x');
    Client client = started({.connect_string = server.connect_string()});
    Client packing = started({.connect_string = server.connect_string(), .compression = Compression::compressed});
};

TEST_F(CompressionTest, PerCall) {
    client.create("/a", text, {.compression = Compression::compressed});
    EXPECT_LT(client.get("/a").data.size(), 1'000u);
    EXPECT_EQ(client.get("/a", {.compression = Compression::compressed}).data, text);
    EXPECT_EQ(client.set("/a", "y", {.compression = Compression::compressed}).version, 1);
    EXPECT_EQ(client.get_watched("/a", {.compression = Compression::compressed}).value.data, "y");
    client.create("/a", "z", {.if_exists = IfExists::set_data, .compression = Compression::compressed});
    EXPECT_EQ(client.get("/a", {.compression = Compression::compressed}).data, "z");
}

TEST_F(CompressionTest, AsDefault) {
    packing.create("/a", text);
    EXPECT_EQ(packing.get("/a").data, text);
    EXPECT_LT(packing.get("/a", {.compression = Compression::none}).data.size(), 1'000u);
    packing.set("/a", "plain", {.compression = Compression::none});
    EXPECT_EQ(client.get("/a").data, "plain");
    packing.create("/b");
    EXPECT_EQ(packing.get("/b").data, client.get("/b", {.compression = Compression::compressed}).data);
    packing.create("/p/q", "x", {.parents = Parents::persistent});
    EXPECT_EQ(packing.get("/p").data, "") << "parents made on the way have no data at all";
}

TEST_F(CompressionTest, OfDefaultData) {
    Client named =
        started({.connect_string = server.connect_string(), .default_data = "me", .compression = Compression::compressed});
    named.create("/a");
    EXPECT_EQ(packing.get("/a").data, "me");
    named.commit(Transaction().create("/b"));
    EXPECT_EQ(packing.get("/b").data, "me");
    InterProcessMutex mutex(named, "/lock");
    const Lease lease = mutex.acquire();
    EXPECT_EQ(packing.get(lease.node_path()).data, "me");
}

TEST_F(CompressionTest, OfRecipes) {
    SharedValue shared(packing, "/shared", text);
    shared.start();
    EXPECT_LT(client.get("/shared").data.size(), 1'000u);
    EXPECT_EQ(shared.get().value, text);
    EXPECT_EQ(shared.set("short").value, "short");

    DistributedAtomicValue atomic(packing, "/atomic");
    EXPECT_TRUE(atomic.initialize(text));
    EXPECT_LT(client.get("/atomic").data.size(), 1'000u);
    EXPECT_EQ(atomic.try_set("short").before, text);

    GroupMember member(packing, "/group", "m", text);
    member.await_node();
    EXPECT_LT(client.get("/group/m").data.size(), 1'000u);
    EXPECT_EQ(member.members().at("m"), text);

    NodeCache cache(packing, "/group/m");
    cache.start();
    EXPECT_EQ(cache.get()->data, text);
}

TEST_F(CompressionTest, InTransactions) {
    packing.commit(Transaction().create("/a", text).create("/b", "plain", CreateMode::persistent, {}, Compression::none));
    EXPECT_EQ(client.get("/a", {.compression = Compression::compressed}).data, text);
    EXPECT_EQ(client.get("/b").data, "plain");
    client.commit(Transaction().set_data("/b", text, 0, Compression::compressed).set_data("/a", "plain"));
    EXPECT_EQ(packing.get("/b").data, text);
    EXPECT_EQ(client.get("/a").data, "plain");
}

TEST_F(CompressionTest, UncompressedDataIsAnError) {
    client.create("/a", "plain");
    error_code ec;
    packing.get("/a", ec);
    EXPECT_EQ(ec, error::corrupt_data);
    EXPECT_EQ(packing.get_watched("/a", {.compression = Compression::none}, ec).value.data, "plain");
    EXPECT_FALSE(ec);
}

TEST_F(CompressionTest, ByTheUsersOwnProvider) {
    struct Provider final : CompressionProvider {
        std::string compress(std::string_view path, std::string_view data) override {
            if (data == "bad") throw std::invalid_argument("bad");
            return std::string(path) + ":" + std::string(data);
        }
        std::string decompress(std::string_view path, std::string_view compressed) override {
            return std::string(compressed.substr(path.size() + 1));
        }
    };
    Client own = started({.connect_string = server.connect_string(),
                          .name_space = "ns",
                          .compression = Compression::compressed,
                          .compression_provider = std::make_shared<Provider>()});
    own.create("/a", "x");
    EXPECT_EQ(own.get("/a").data, "x");
    EXPECT_EQ(client.get("/ns/a").data, "/a:x");
    own.create("/p/q", "x", {.parents = Parents::persistent});
    EXPECT_EQ(own.get("/p").data, "") << "not for the provider";
    error_code ec;
    own.create("/b", "bad", {}, ec);
    EXPECT_EQ(ec, error::corrupt_data);
    own.set("/a", "bad", {}, ec);
    EXPECT_EQ(ec, error::corrupt_data);
    const auto result = own.commit(Transaction().remove("/a").set_data("/a", "bad"), ec);
    EXPECT_EQ(ec, error::corrupt_data);
    EXPECT_EQ(result.failed_operation, 1u);
    EXPECT_TRUE(own.exists("/a")) << "nothing was sent";
}

} // namespace
} // namespace docent
