// SPDX-License-Identifier: Apache-2.0
#include "latch_fixture.hpp"

namespace docent::detail {
namespace {

/// The first latch keeps its node after the loss of its leadership.
class KeptLeadTest : public LatchCoreTest {
protected:
    void SetUp() override {
        latches[0] = make_fake_latch(world, 0, "keeps", WhenLost::keep_node);
        listeners[0] = latches[0]->listen([this](const LeadershipEvent& event) { events[0].push_back(event); });
        lead(0);
    }
    void lose_while_the_session_lives() {
        const auto node = latches[0]->leadership()->node_path();
        queue_up(1);
        give_up_for_lost(0);
        client(0).unreachable = false;
        settle();
        EXPECT_EQ(world.queue().size(), 2u);
        EXPECT_EQ(world.first(), node) << "what it did as the leader may not have ended";
        EXPECT_FALSE(leads(0) || leads(1));
    }
};

TEST_F(KeptLeadTest, KeepsItsNodeUntilItResigns) {
    lose_while_the_session_lives();
    const auto resigned = resign(0);
    run_until([&] { return resigned->times == 1 && leads(1); });
    EXPECT_EQ(resigned->ec, error_code{});
    settle();
    EXPECT_EQ(world.queue().size(), 2u);
    EXPECT_EQ(changes(0), (Changes{gained, lost}));
}

TEST_F(KeptLeadTest, KeepsItsNodeUntilItCloses) {
    lose_while_the_session_lives();
    const auto closed = close(0, LatchClose::telling);
    run_until([&] { return closed->times == 1 && leads(1); });
    settle();
    EXPECT_EQ(world.queue().size(), 1u);
    EXPECT_EQ(changes(0), (Changes{gained, lost}));
}

TEST_F(KeptLeadTest, EntersWithResignAloneAlsoAfterTheEndOfItsSession) {
    world.inflict(Fault::end_session, 0);
    run_until([&] { return changes(0) == Changes{gained, lost}; });
    const auto waiting = wait(0);
    run_for(milliseconds{3000});
    EXPECT_TRUE(world.queue().empty());
    EXPECT_EQ(waiting->times, 0);
    resign(0);
    run_until([&] { return waiting->times == 1; });
    EXPECT_EQ(waiting->ec, error_code{});
    EXPECT_TRUE(leads(0));
}

} // namespace
} // namespace docent::detail
