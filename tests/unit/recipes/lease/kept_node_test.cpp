// SPDX-License-Identifier: Apache-2.0
#include "lease_fixture.hpp"

namespace docent::detail {
namespace {

/// A lease that was lost while its session survived, and whose client knows that.
class KeptNodeTest : public LeaseTest {
protected:
    void SetUp() override {
        LeaseTest::SetUp();
        lease.keep_node_when_lost();
        world.surroundings().now += FakeEnsemble::session_timeout;
        EXPECT_EQ(lease.state(), LeaseState::lost);
        client(0).validity_clock()->extend(client(0).boot_now() + milliseconds{1000});
        run_until_stopped();
        settle();
        ASSERT_FALSE(is_removed()) << "nobody else is admitted while the holder stops";
        ASSERT_EQ(client(0).session().epoch, 1u);
    }
};

TEST_F(KeptNodeTest, GoesWithTheRelease) {
    EXPECT_EQ(result_of(release()), error::lease_lost);
    EXPECT_TRUE(is_removed()) << "it has waited for the server";
}

TEST_F(KeptNodeTest, GoesWithTheLease) {
    lease = Lease{};
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(KeptNodeTest, IsRemovedOnce) {
    for (int n = 0; n < 2; ++n) {
        const auto outcome = release();
        ASSERT_TRUE(world.run_until([&] {
            EXPECT_TRUE(n == 0 || client(0).open_removals() == 0);
            return outcome->arrived();
        }));
        EXPECT_EQ(outcome->ec, error::lease_lost);
    }
    EXPECT_TRUE(is_removed());
}

TEST_F(LeaseTest, TheNodeOfALostAndDestroyedLeaseIsNotKept) {
    lease.keep_node_when_lost();
    world.surroundings().now += FakeEnsemble::session_timeout;
    EXPECT_EQ(lease.state(), LeaseState::lost);
    lease = Lease{};
    client(0).validity_clock()->extend(client(0).boot_now() + milliseconds{1000});
    settle();
    EXPECT_TRUE(is_removed());
}

} // namespace
} // namespace docent::detail
