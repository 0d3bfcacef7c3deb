// SPDX-License-Identifier: Apache-2.0
#include "local_fixture.hpp"
#include "read_write/read_write_core.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace docent::detail {
namespace {

class LocalReadersTest : public LocalQueueTest {
protected:
    LocalReadersTest() {
        for (std::size_t index = 0; index < 2; ++index) {
            cores[index] = make_read_write(world.share(index), "/rw", boot_now(index), {.keep_for = kept});
        }
        world.add_queue("/rw", read_write_names());
    }
    std::vector<std::string> queue() { return world.queue("/rw"); }
    OutcomePtr downgrade(const Lease& write) {
        const auto outcome = std::make_shared<Outcome>();
        initiate_downgrade(Access::core(write), {}, into(outcome, &Outcome::lease));
        EXPECT_EQ(result_of(outcome), error_code{});
        return outcome;
    }

    ReadWriteCores cores[2];
};

TEST_F(LocalReadersTest, ReadTogetherByOneNodeEach) {
    std::vector<Lease> leases;
    for (int i = 0; i < 3; ++i) leases.push_back(acquire_on(cores[0].read));
    settle();
    EXPECT_EQ(queue().size(), 1U);
    leases.push_back(acquire_on(cores[1].read));
    settle();
    EXPECT_EQ(queue().size(), 2U);
    EXPECT_TRUE(cores[0].read->acquire_at_once({})) << "another reader recalls nothing";
    EXPECT_TRUE(cores[1].read->acquire_at_once({}));
}

TEST_F(LocalReadersTest, AWriterRecallsThemAll) {
    std::ignore = acquire_on(cores[0].read);
    std::ignore = acquire_on(cores[1].read);
    settle();
    EXPECT_EQ(queue().size(), 2U);
    const Lease write = acquire_on(cores[1].write);
    EXPECT_TRUE(write.owns());
    EXPECT_EQ(queue().size(), 1U);
}

TEST_F(LocalReadersTest, AReaderThatComesWhileAWriterWaitsFollowsIt) {
    Lease reading = acquire_on(cores[0].read);
    settle();
    const auto write = start_on(cores[1].write);
    ASSERT_TRUE(world.run_until([&] { return queue().size() == 2; }));
    settle();
    const auto late = start_on(cores[0].read);
    const auto later = start_on(cores[0].read);
    settle();
    EXPECT_FALSE(late->arrived());
    EXPECT_EQ(queue().size(), 3U) << "both wait by one node";
    reading = Lease{};
    wait_for(write);
    EXPECT_FALSE(late->arrived());
    write->lease = Lease{};
    wait_for(late);
    wait_for(later);
    EXPECT_TRUE(late->lease.owns() && later->lease.owns());
}

/// A list of the queue shows the loss. The client's regular looks at watched nodes find it as well, but later.
TEST_F(LocalReadersTest, ANodeThatTheQueueDoesNotNameIsLostThoughItsOwnEventNeverComes) {
    const Lease reading = acquire_on(cores[0].read);
    const auto stop = reading.stop_token();
    run_for(2 * session::frequent_heartbeats(FakeEnsemble::session_timeout)); // long enough that the node is watched
    settle();
    client(0).lose_next_event = true;
    world.surroundings().ensemble.delete_node(reading.node_path());
    const auto deleted = world.surroundings().now;
    ASSERT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
    EXPECT_LT(world.surroundings().now - deleted, session::frequent_heartbeats(FakeEnsemble::session_timeout));
    EXPECT_FALSE(cores[0].read->acquire_at_once({}));
}

TEST_F(LocalReadersTest, ADowngradedWritersNodeIsNotHandedOver) {
    std::ignore = acquire_on(cores[0].write);
    settle();
    const Lease write = acquire_on(cores[0].write);
    const auto outcome = downgrade(write);
    EXPECT_FALSE(cores[0].write->acquire_at_once({}));
    const auto next = start_on(cores[0].write);
    settle();
    EXPECT_FALSE(next->arrived());
    outcome->lease = Lease{};
    wait_for(next);
}

TEST_F(LocalReadersTest, ADowngradedWritersNodeIsNotHandedToAWaiterOfItsProcess) {
    const auto handing_on = make_read_write(world.share(0), "/rw", boot_now(0), {.max_local_handovers = 100});
    const Lease write = acquire_on(handing_on.write);
    const auto next = start_on(handing_on.write);
    settle();
    ASSERT_EQ(queue().size(), 1U) << "the waiter waits for the same node";
    const auto read = downgrade(write);
    run_for(milliseconds{500});
    EXPECT_TRUE(read->lease.owns());
    EXPECT_FALSE(next->arrived());
    read->lease = Lease{};
    wait_for(next);
    EXPECT_TRUE(next->lease.owns());
}

} // namespace
} // namespace docent::detail
