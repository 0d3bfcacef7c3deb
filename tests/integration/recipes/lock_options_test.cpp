// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <tuple>

namespace docent {
namespace {

/// The data of locks' nodes.
class LockOptionsTest : public ::testing::Test {
protected:
    docent::test::AnyServer server;
    Client client = started({.connect_string = server.connect_string(), .default_data = "this machine"});
    Client packing = started({.connect_string = server.connect_string(), .compression = Compression::compressed});
    const LockOptions named{.node_data = "nightly job"};

    std::string data_of(const Lease& lease) { return client.get(lease.node_path()).data; }
};

TEST_F(LockOptionsTest, NodesHaveTheDataThatTheyWereGiven) {
    const Lease lease = InterProcessMutex(client, "/lock", named).acquire();
    EXPECT_EQ(data_of(lease), "nightly job");
    EXPECT_EQ(lease.data(), "nightly job");
    EXPECT_EQ(inspect(client, "/lock").participants.at(0).data, "nightly job");
    const Lease empty = InterProcessMutex(client, "/other", {.node_data = ""}).acquire();
    EXPECT_EQ(data_of(empty), "");
    EXPECT_EQ(empty.data(), "");
}

TEST_F(LockOptionsTest, WithoutAnyTheyHaveTheClients) {
    const Lease lease = InterProcessMutex(client, "/lock").acquire();
    EXPECT_EQ(data_of(lease), "this machine");
    EXPECT_EQ(lease.data(), "this machine");
    EXPECT_EQ(Lease{}.data(), "");
}

TEST_F(LockOptionsTest, ThreadsToo) {
    InterProcessMutex mutex(client, "/lock", named);
    const std::scoped_lock hold{mutex};
    EXPECT_EQ(inspect(client, "/lock").participants.at(0).data, "nightly job");
}

TEST_F(LockOptionsTest, BothSidesOfAReadWriteLockAndADowngrade) {
    InterProcessReadWriteLock lock(client, "/rw", named);
    Lease write = lock.write_lock().acquire();
    EXPECT_EQ(data_of(write), "nightly job");
    Lease read = write.downgrade();
    EXPECT_EQ(data_of(read), "nightly job");
    EXPECT_EQ(read.data(), "nightly job");
    EXPECT_EQ(data_of(lock.read_lock().acquire()), "nightly job");
    read.release();

    lock.lock();
    lock.lock_shared(); // its read node stands beside the write node
    for (const auto& participant : inspect(client, "/rw").participants) EXPECT_EQ(participant.data, "nightly job");
    lock.unlock_shared();
    lock.unlock();
}

TEST_F(LockOptionsTest, CompressedAsTheClientSays) {
    InterProcessReadWriteLock lock(packing, "/rw", named);
    Lease write = lock.write_lock().acquire();
    const auto unpacked = [&](const Lease& lease) {
        return client.get(lease.node_path(), {.compression = Compression::compressed}).data;
    };
    EXPECT_EQ(unpacked(write), "nightly job");
    EXPECT_EQ(write.data(), "nightly job");
    const Lease read = write.downgrade();
    EXPECT_EQ(unpacked(read), "nightly job");
    EXPECT_EQ(read.data(), "nightly job");
}

TEST_F(LockOptionsTest, DataThatCannotBeSentIsAnError) {
    error_code ec;
    std::ignore = InterProcessMutex(client, "/lock", {.node_data = std::string(2'000'000, 'x')}).acquire(ec);
    EXPECT_EQ(ec, error::too_large);

    class Broken final : public CompressionProvider {
        std::string compress(std::string_view, std::string_view data) override {
            if (data == "nightly job") throw std::runtime_error("broken");
            return std::string(data);
        }
        std::string decompress(std::string_view, std::string_view data) override { return std::string(data); }
    };
    Client broken{{.compression = Compression::compressed, .compression_provider = std::make_shared<Broken>()}};
    EXPECT_THROW((InterProcessMutex{broken, "/lock", named}), Error);
}

TEST_F(LockOptionsTest, SemaphoresRefuseOtherContenders) {
    EXPECT_THROW(InterProcessSemaphore(client, "/lock", 1, {.others = kazoo_contenders()}), Error);
    EXPECT_THROW(InterProcessSemaphoreMutex(client, "/lock", {.others = kazoo_contenders()}), Error);
    EXPECT_THROW(InterProcessMutex(client, "/lock", {.others = {.exclusive = {"a/"}}}), Error);
}

} // namespace
} // namespace docent
