// SPDX-License-Identifier: Apache-2.0
// The number of round trips that a command takes, counted by the requests that a server sees.
#include "cli_fixture.hpp"

#include <docent/testing/fault_proxy.hpp>

namespace docent::test {
namespace {

using docent::testing::Direction;
using docent::testing::FaultProxy;
using docent::testing::Opcode;

class RoundTripsTest : public CliTest {
protected:
    FaultProxy proxy{server.port()};
};

TEST_F(RoundTripsTest, AReadLeavesWithItsSync) {
    observer.create("/a", "one");
    proxy.on_forwarded(Opcode::sync, [this] { proxy.black_hole(Direction::to_client); });
    DocentProcess reader(through(proxy, setting({"ls", "/"})));
    EXPECT_TRUE(eventually([this] { return proxy.requests(Opcode::children2) == 1; })) << "before the answer to the sync";
    proxy.heal();
    EXPECT_EQ(reader.exit_status(), 0);
    EXPECT_NE(reader.output().find("a\n"), std::string::npos) << reader.output();
}

TEST_F(RoundTripsTest, WhatShowsLocksReadsTheLastWritesOfAnyServer) {
    observer.create("/election");
    for (const auto* command : {"inspect", "leader", "deadlocks"}) {
        const auto before = proxy.requests(Opcode::sync);
        const auto result = run(through(proxy, setting({command, "/election"})));
        EXPECT_GT(proxy.requests(Opcode::sync), before) << command << ": " << result.errors;
    }
}

TEST_F(RoundTripsTest, ALockIsGivenBackWithTheSession) {
    const auto result = run(through(proxy, lock({"true"})));
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(proxy.requests(Opcode::close_session), 1U);
    EXPECT_EQ(proxy.requests(Opcode::remove), 0U);
    EXPECT_TRUE(observer.children("/lock").names.empty());
}

TEST_F(RoundTripsTest, ALeadEndsWithTheSession) {
    const auto result = run(through(proxy, setting({"elect", "/election", "--", "true"})));
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(proxy.requests(Opcode::close_session), 1U);
    EXPECT_EQ(proxy.requests(Opcode::remove), 0U);
    EXPECT_TRUE(observer.children("/election").names.empty());
}

} // namespace
} // namespace docent::test
