// SPDX-License-Identifier: Apache-2.0

// Parents on servers that make no containers.

#include "clients.hpp"
#include "server_without_containers.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

namespace docent {
namespace {

using docent::test::ServerWithoutContainers;
using Refusal = ServerWithoutContainers::Refusal;
using namespace std::chrono_literals;

class Warned final : public Tracer {
public:
    void on_warning(std::string_view) override { ++warnings; }
    std::atomic<int> warnings = 0;
};

class ContainersTest : public ::testing::TestWithParam<Refusal> {
protected:
    ContainersTest() { observer.start(); }

    ClientConfig config(const std::string& connect_string, std::string name_space = {}) const {
        return {.connect_string = connect_string,
                .session_timeout = 60s,
                .retry_policy = RetryPolicy::exponential_backoff(1ms, 10, 10ms),
                .name_space = std::move(name_space),
                .tracer = warned};
    }
    // Allows long sessions. In a short one, a client on a busy machine takes its connection for broken and asks once more.
    docent::test::AnyServer server{{.max_session_timeout = 60s}};
    Client observer{{.connect_string = server.connect_string()}};
    std::shared_ptr<Warned> warned = std::make_shared<Warned>();
};

TEST_P(ContainersTest, ParentsArePersistentAndAskedForOnce) {
    ServerWithoutContainers old(server.port(), GetParam());
    {
        Client client = started(config(old.connect_string()));
        Lease lease = InterProcessMutex(client, "/old/a/lock").acquire();
        EXPECT_TRUE(lease.owns());
        EXPECT_TRUE(observer.exists("/old"));
        EXPECT_TRUE(observer.exists("/old/a/lock"));
        const int asked = old.containers();
        if (GetParam() == Refusal::hang_up) {
            EXPECT_GE(asked, 2) << "a hang-up ends a flight with its first; each connection that breaks besides is one more";
        } else {
            EXPECT_EQ(asked, 3) << "those of one flight";
        }

        // The client remembers the answer.
        Lease another = InterProcessMutex(client, "/old/b/lock").acquire();
        const Lease permit = InterProcessSemaphore(client, "/old/c/permits", 1).acquire();
        client.create("/old/d/e", "", {.parents = Parents::container});
        EXPECT_TRUE(observer.exists("/old/d"));
        EXPECT_EQ(old.containers(), asked);
        client.close();
    }
    EXPECT_EQ(warned->warnings, 1);
    observer.remove("/old", {.children = RemoveChildren::yes});
}

INSTANTIATE_TEST_SUITE_P(EachRefusal, ContainersTest,
                         ::testing::Values(Refusal::unimplemented, Refusal::bad_arguments, Refusal::hang_up));

using Containers = ContainersTest;

TEST_F(Containers, ARecipeThatMakesItsParentsOnceHasThem) {
    ServerWithoutContainers old(server.port(), Refusal::unimplemented);
    Client spaced = started(config(old.connect_string(), "old/space"));
    spaced.create("/a", "");
    EXPECT_EQ(observer.children("/old/space").names, std::vector<std::string>{"a"});

    Client counting = started(config(old.connect_string()));
    DistributedAtomicLong number(counting, "/old/numbers/one");
    EXPECT_EQ(number.increment().after, 1);

    Client meeting = started(config(old.connect_string()));
    DistributedBarrier barrier(meeting, "/old/meetings/one");
    barrier.set();
    EXPECT_TRUE(observer.exists("/old/meetings"));
    for (Client* client : {&spaced, &counting, &meeting}) client->close();
    observer.remove("/old", {.children = RemoveChildren::yes});
}

} // namespace
} // namespace docent
