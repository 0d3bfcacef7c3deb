// SPDX-License-Identifier: Apache-2.0

// An inspection by a client that may not read a participant's node: on servers in memory.

#include "fake_mutex.hpp"
#include "inspection/inspection.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace docent::detail {
namespace {

/// The second client holds the lock, and its node may not be read. The first client inspects.
class UnreadableParticipantTest : public FakeMutexTest {
protected:
    struct Seen : Answer {
        Inspection found;
    };

    void SetUp() override {
        connect();
        lease = acquire(1);
        servers().hide_node(lease.node_path());
        learn_all();
    }
    /// The server of the inspecting client learns all changes.
    void learn_all() { servers().learn_all(*client(0).server()); }
    std::shared_ptr<Seen> look() {
        const auto seen = std::make_shared<Seen>();
        make_inspection(world.share(0), "/lock", nullptr, into(seen, &Seen::found))->begin();
        return seen;
    }

    Lease lease;
};

TEST_F(UnreadableParticipantTest, IsShownWithWhatTheServerTells) {
    for (const auto needs : {ExistsNeeds::read, ExistsNeeds::nothing}) {
        servers().exists_needs = needs;
        const auto seen = look();
        expect(seen);
        ASSERT_EQ(seen->found.participants.size(), 1U);
        const Participant& one = seen->found.participants.front();
        EXPECT_EQ(one.node_path, lease.node_path());
        EXPECT_TRUE(one.holds);
        EXPECT_FALSE(one.readable);
        EXPECT_EQ(one.data, "");
        const bool has_stat = needs == ExistsNeeds::nothing;
        EXPECT_EQ(one.session_id, has_stat ? client(1).session().session_id : 0);
        EXPECT_EQ(one.fencing_token, has_stat ? lease.fencing_token() : 0);
    }
}

TEST_F(UnreadableParticipantTest, ThatLeavesMeanwhileIsLeftOut) {
    const auto seen = look();
    run_until([&] { return client(0).next_request() == "look for " + lease.node_path(); });
    servers().delete_node(lease.node_path());
    learn_all();
    expect(seen);
    EXPECT_TRUE(seen->found.participants.empty());
}

} // namespace
} // namespace docent::detail
