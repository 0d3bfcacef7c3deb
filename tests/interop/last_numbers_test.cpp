// SPDX-License-Identifier: Apache-2.0

// The end of a real server's sequence numbers: while the server is stopped, its files are changed so that a node has had that
// many children.

#include "eventually.hpp"
#include "names/node_name.hpp"
#include "servers/pooled_server.hpp"
#include "testing/process/child_process.hpp"
#include "testing/process/server_process.hpp"

#include <docent/docent.hpp>
#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <unistd.h>

namespace docent::test {
namespace {

using namespace std::chrono_literals;
using detail::last_number;

class AgedServer : public ::testing::Test {
protected:
    docent::test::PooledServer server;
    Client client{{.connect_string = server.connect_string()}};
    Client other{{.connect_string = server.connect_string()}};

    void SetUp() override {
        client.start();
        other.start();
    }
    /// Makes the node; its next sequential child gets this number.
    void number_next_child(const std::string& path, std::int32_t number) {
        client.create(path, "", {.parents = Parents::persistent, .if_exists = IfExists::accept});
        server.stop();
        docent::testing::ChildProcess ager({docent::testing::find_java().string(), "-XX:+UseSerialGC",
                                            "-XX:TieredStopAtLevel=1", "-cp", DOCENT_PEER_CLASS_PATH, "NodeAger",
                                            server.data_dir().string(), path, std::to_string(number)},
                                           {.output = STDERR_FILENO});
        ASSERT_TRUE(ager.wait_ended(1min));
        ASSERT_EQ(ager.end_description(), "ended with status 0");
        server.start();
    }
    std::vector<std::string> children(const std::string& path) {
        client.sync("/");
        return client.children(path).names;
    }
};

using ServersNumbers = AgedServer;

/// The fake ensemble does the same.
TEST_F(ServersNumbers, StayAtTheLastOneAndGoBelowZeroAmongThoseThatAreMadeAtOnce) {
    number_next_child("/n", last_number - 1);
    const CreateOptions sequential{.mode = CreateMode::persistent_sequential};
    EXPECT_EQ(client.create("/n/a-", "", sequential).path, "/n/a-2147483646");
    EXPECT_EQ(client.create("/n/b-", "", sequential).path, "/n/b-2147483647");
    EXPECT_EQ(client.create("/n/c-", "", sequential).path, "/n/c-2147483647");
    error_code ec;
    client.create("/n/c-", "", sequential, ec);
    EXPECT_EQ(ec, server_error::node_exists);

    Transaction three;
    for (int i = 0; i < 3; ++i) three.create("/n/d-", "", CreateMode::persistent_sequential);
    const auto made = client.commit(three);
    EXPECT_EQ(made.operations[0].result_path, "/n/d-2147483647");
    EXPECT_EQ(made.operations[1].result_path, "/n/d--2147483648");
    EXPECT_EQ(made.operations[2].result_path, "/n/d--2147483647");
    EXPECT_EQ(client.create("/n/e-", "", sequential).path, "/n/e-2147483647");
}

struct Recipe {
    std::string name;
    std::string numbered; // the parent of the sequential nodes
    std::function<Lease(Client&, error_code&)> acquire;
};

void PrintTo(const Recipe& recipe, std::ostream* stream) {
    *stream << recipe.name;
}

class LastNumbersOnAServer : public AgedServer, public ::testing::WithParamInterface<Recipe> {};

TEST_P(LastNumbersOnAServer, TheyAdmitNoContenderAndHoldersKeepTheirLocks) {
    const std::string& numbered = GetParam().numbered;
    number_next_child(numbered, last_number - 1);
    error_code ec;
    Lease held = GetParam().acquire(client, ec);
    ASSERT_FALSE(ec) << ec.message();
    const std::size_t kept = parent_path(held.node_path()) == numbered ? 1 : 0; // a holder of permits has left the gate

    for (Client* next : {&other, &client, &other}) {
        EXPECT_FALSE(GetParam().acquire(*next, ec));
        EXPECT_EQ(ec, error::numbers_used_up);
    }
    EXPECT_TRUE(held.owns());
    EXPECT_TRUE(eventually([&] { return children(numbered).size() == kept; })) << "nodes are left";

    held.release();
    EXPECT_FALSE(GetParam().acquire(other, ec)) << "also when it is free";
    EXPECT_EQ(ec, error::numbers_used_up);
    EXPECT_TRUE(eventually([&] { return children(numbered).empty(); }));
    client.remove(numbered); // as an administrator does
    EXPECT_TRUE(GetParam().acquire(other, ec).owns()) << ec.message();
}

template <typename Lock> Lease acquire_of(Lock&& lock, error_code& ec) {
    return lock.acquire(ec, {.timeout = 1min});
}

std::vector<Recipe> all_recipes() {
    const auto semaphore = [](Client& client, error_code& ec) {
        return acquire_of(InterProcessSemaphore(client, "/s", 2), ec);
    };
    return {
        {"Mutex", "/lock", [](Client& client, error_code& ec) { return acquire_of(InterProcessMutex(client, "/lock"), ec); }},
        {"ReadLock", "/lock",
         [](Client& client, error_code& ec) { return acquire_of(InterProcessReadWriteLock(client, "/lock").read_lock(), ec); }},
        {"WriteLock", "/lock",
         [](Client& client, error_code& ec) {
             return acquire_of(InterProcessReadWriteLock(client, "/lock").write_lock(), ec);
         }},
        {"Gate", "/s/locks", semaphore},
        {"Permits", "/s/leases", semaphore},
    };
}

INSTANTIATE_TEST_SUITE_P(Recipes, LastNumbersOnAServer, ::testing::ValuesIn(all_recipes()),
                         [](const auto& each) { return each.param.name; });

} // namespace
} // namespace docent::test
