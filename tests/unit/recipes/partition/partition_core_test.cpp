// SPDX-License-Identifier: Apache-2.0
#include "client/core/forwarding_view.hpp"
#include "fake_recipes/fake_partitioner.hpp"
#include "world_test.hpp"

#include <docent/path.hpp>
#include <docent/recipes/partitioner.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t item_count = 6;

/// A client whose leases end with the connection.
class StandardPolicyView final : public ForwardingView {
public:
    using ForwardingView::ForwardingView;
    const ClientConfig& config() const override { return config_; }

private:
    const ClientConfig config_{.error_policy = ErrorPolicy::standard()};
};

class PartitionCoreTest : public WorldTest {
protected:
    PartitionCoreTest() : WorldTest(3, item_path(partition_path, "0")) {
        for (std::size_t item = 1; item < item_count; ++item) world.add_queue(item_path(partition_path, std::to_string(item)));
    }
    void TearDown() override {
        for (auto& each : members) {
            each->core->close([] {});
            each->end_all_work();
        }
        run_until([&] { return world.all_idle(); });
    }
    static PartitionOptions options(const std::string& id) {
        return {.id = id, .join_delay = 500ms, .leave_grace = 700ms, .stop_limit = 3s};
    }
    FakePartitioner& add(std::size_t client, PartitionOptions of_member) {
        members.push_back(std::make_unique<FakePartitioner>(world, client, numbered_items(item_count), std::move(of_member)));
        return *members.back();
    }
    FakePartitioner& add(std::size_t client, const std::string& id) { return add(client, options(id)); }
    FakePartitioner& begun(std::size_t client, const std::string& id) {
        auto& member = add(client, id);
        EXPECT_EQ(member.core->start(), error_code{});
        return member;
    }
    /// No item has two owners.
    void check() override {
        for (const auto& each : members) {
            for (const auto& [item, term] : each->terms()) {
                const Lease& lease = *term->leadership();
                if (!lease.owns() || world.was_taken(lease.node_path())) continue;
                EXPECT_EQ(world.first(item_path(partition_path, item)), lease.node_path());
            }
            EXPECT_TRUE(each->wrong().empty());
        }
    }
    /// Runs until the members have these numbers of items. Work that was asked to stop ends at once.
    void await(std::vector<std::size_t> counts) {
        run_until([&] {
            for (auto& each : members) each->end_stopped_work();
            for (std::size_t n = 0; n < counts.size(); ++n) {
                if (members[n]->terms().size() != counts[n] || members[n]->core->owned().size() != counts[n]) return false;
            }
            return true;
        });
    }
    std::optional<Plan> plan() {
        const TreeNode* node = truth().find(plan_path(partition_path));
        return node ? parse_plan(node->data) : std::nullopt;
    }
    AnswerPtr close(FakePartitioner& member) {
        return answer_of([&](auto handler) { initiate_partition_close(member.core, {}, std::move(handler)); });
    }

    std::deque<std::unique_ptr<FakePartitioner>> members;
};

TEST_F(PartitionCoreTest, TheFirstMemberGetsAllItemsAndTheNextOnesTheirShare) {
    begun(0, "a");
    await({6});
    EXPECT_EQ(plan()->moves, 0u);
    begun(1, "b");
    await({3, 3});
    EXPECT_EQ(plan()->moves, 3u);
    begun(2, "c");
    await({2, 2, 2});
    EXPECT_EQ(plan()->moves, 5u);
    EXPECT_EQ(members[0]->begun(), 6);
    EXPECT_EQ(members[1]->begun(), 3);
}

TEST_F(PartitionCoreTest, MembersThatStartTogetherShareWithoutAMove) {
    for (const char* id : {"a", "b", "c"}) begun(members.size(), id);
    await({2, 2, 2});
    EXPECT_EQ(plan()->moves, 0u);
    for (const auto& each : members) EXPECT_EQ(each->begun(), 2);
}

TEST_F(PartitionCoreTest, AnItemMovesOnlyWhenItsWorkHasEndedAndThenInOneRoundTrip) {
    auto& a = begun(0, "a");
    await({6});
    auto& b = begun(1, "b");
    run_until([&] { return plan()->members.size() == 2; });
    const std::string item = plan()->members.at("b").items.front();
    run_until([&] { return a.is_asked_to_stop(item) && world.queue(item_path(partition_path, item)).size() == 2; });
    settle();
    EXPECT_FALSE(b.works_on(item));
    bool asked = false;
    a.end_work(item);
    run_until([&] {
        const auto request = client(1).next_request();
        asked = asked || (!b.works_on(item) && request.find("/items/" + item) != std::string::npos &&
                          (request.starts_with("list") || request.starts_with("create")));
        return b.works_on(item);
    });
    EXPECT_FALSE(asked) << "one round trip";
}

TEST_F(PartitionCoreTest, AFlappingMemberMovesNothing) {
    begun(0, "a");
    begun(1, "b");
    await({3, 3});
    const auto version = truth().find(plan_path(partition_path))->stat.version;
    for (int time = 0; time < 5; ++time) {
        world.inflict(Fault::end_session, 1);
        run_until([&] { return members[1]->core->owned().empty(); });
        await({3, 3});
    }
    EXPECT_EQ(truth().find(plan_path(partition_path))->stat.version, version);
    EXPECT_EQ(members[0]->begun(), 3);
}

TEST_F(PartitionCoreTest, TheItemsOfADeadMemberMove) {
    begun(0, "a");
    begun(1, "b");
    begun(2, "c");
    await({2, 2, 2});
    client(2).freeze(60s);
    await({3, 3});
    EXPECT_EQ(plan()->moves, 2u);
}

TEST_F(PartitionCoreTest, CloseGivesTheItemsToTheOthersWithoutAGrace) {
    begun(0, "a");
    begun(1, "b");
    await({3, 3});
    const auto began = world.surroundings().now;
    const auto answer = close(*members[1]);
    await({6, 0});
    EXPECT_LT(world.surroundings().now - began, 700ms) << "the grace";
    expect(answer);
    settle();
    EXPECT_FALSE(plan()->members.contains("b"));
}

TEST_F(PartitionCoreTest, MembersThatCloseTogetherLeaveNoGrace) {
    for (const char* id : {"a", "b", "c"}) begun(members.size(), id);
    await({2, 2, 2});
    settle();
    const auto began = world.surroundings().now;
    const auto first = close(*members[0]);
    const auto second = close(*members[1]);
    await({0, 0, 6});
    EXPECT_LT(world.surroundings().now - began, 700ms) << "the grace";
    expect(first);
    expect(second);
    EXPECT_EQ(plan()->members.size(), 1u);
}

TEST_F(PartitionCoreTest, AMemberThatKeepsItsPlaceGetsItsItemsBack) {
    begun(0, "a");
    auto keeping = options("b");
    keeping.keep_items_on_close = true;
    add(1, keeping).core->start();
    await({3, 3});
    const auto before = plan();
    const auto answer = close(*members[1]);
    members[1]->end_all_work();
    run_until([&] {
        members[1]->end_stopped_work();
        return answer->times > 0;
    });
    begun(1, "b");
    await({3, 0, 3});
    EXPECT_EQ(plan(), before);
}

TEST_F(PartitionCoreTest, CloseWaitsForTheWork) {
    auto& a = begun(0, "a");
    await({6});
    const auto answer = close(a);
    run_until([&] { return a.is_asked_to_stop("0"); });
    settle();
    EXPECT_EQ(answer->times, 0);
    a.end_all_work();
    expect(answer);
    settle();
    EXPECT_TRUE(world.nodes().empty());
    EXPECT_TRUE(truth().children(members_path(partition_path)).empty());
    EXPECT_EQ(a.core->start(), error::closed);
}

TEST_F(PartitionCoreTest, AlsoDuringCloseWorkThatDoesNotStopIsReported) {
    auto& a = begun(0, "a");
    await({6});
    const auto answer = close(a);
    run_until([&] { return a.failures().size() == 6; });
    EXPECT_EQ(a.failures(), (std::vector<error_code>(6, server_error::operation_timeout)));
    EXPECT_TRUE(a.core->owned().empty());
    EXPECT_EQ(answer->times, 0);
    a.end_all_work();
    expect(answer);
}

TEST_F(PartitionCoreTest, WorkThatDoesNotStopLosesItsItemAfterTheLimit) {
    auto& a = begun(0, "a");
    await({6});
    auto& b = begun(1, "b");
    run_until([&] { return b.terms().size() == 3; });
    EXPECT_EQ(a.terms().size(), 6u) << "the work goes on";
    EXPECT_EQ(a.core->owned().size(), 3u);
    EXPECT_EQ(a.failures(), (std::vector<error_code>(3, server_error::operation_timeout)));
}

TEST_F(PartitionCoreTest, AfterALossInALivingSessionWorkThatDoesNotStopLosesItsItemToo) {
    members.push_back(std::make_unique<FakePartitioner>(world, 0, numbered_items(item_count), options("a"),
                                                        std::make_shared<StandardPolicyView>(world.share(0))));
    auto& a = *members.back();
    a.core->start();
    await({6});
    const auto lost = a.terms().at("0")->leadership();
    client(0).unreachable = true;
    client(0).break_link({});
    run_until([&] { return lost->state() == LeaseState::lost; });
    client(0).unreachable = false;
    run_until([&] { return client(0).session().state == SessionState::connected; });
    settle();
    EXPECT_TRUE(truth().find(lost->node_path())) << "the work goes on";
    run_until([&] { return !truth().find(lost->node_path()); });
    EXPECT_EQ(client(0).session().epoch, 1u);
    EXPECT_TRUE(a.works_on("0"));
    run_until([&] { return a.failures().size() == 6; });
    EXPECT_EQ(a.failures(), (std::vector<error_code>(6, server_error::operation_timeout)));
}

TEST_F(PartitionCoreTest, WorkThatReturnsBeginsAgainAfterAPause) {
    auto& a = begun(0, "a");
    await({6});
    const auto token = a.terms().at("0")->leadership()->fencing_token();
    const auto ended = world.surroundings().now;
    a.end_work("0");
    run_until([&] { return a.works_on("0"); });
    EXPECT_GE(world.surroundings().now - ended, 1s);
    EXPECT_GT(a.terms().at("0")->leadership()->fencing_token(), token);
    EXPECT_EQ(a.begun("1"), 1) << "the others go on";
}

TEST_F(PartitionCoreTest, ADeletedItemNodeIsMadeAgain) {
    auto& a = begun(0, "a");
    await({6});
    settle();
    world.inflict(Fault::delete_node);
    run_until([&] { return a.core->owned().size() == 5; });
    await({6});
    EXPECT_EQ(a.begun(), 7);
}

TEST_F(PartitionCoreTest, ADeletedPlanComesBackAndNothingMoves) {
    begun(0, "a");
    begun(1, "b");
    await({3, 3});
    const auto before = plan();
    settle();
    servers().delete_node(plan_path(partition_path));
    run_until([&] { return plan().has_value(); });
    EXPECT_EQ(plan(), before);
    settle();
    EXPECT_EQ(members[0]->begun(), 3);
    EXPECT_EQ(members[1]->begun(), 3);
}

TEST_F(PartitionCoreTest, ADeletedMemberNodeMovesNothing) {
    auto& a = begun(0, "a");
    begun(1, "b");
    await({3, 3});
    settle();
    const auto before = plan();
    servers().delete_node(join_path(members_path(partition_path), a.core->planner().node_name()));
    run_for(5s);
    EXPECT_EQ(plan(), before);
    EXPECT_EQ(a.begun(), 3);
}

TEST_F(PartitionCoreTest, TwoMembersWithOneIdAreReported) {
    begun(0, "a");
    await({6});
    auto& second = begun(1, "a");
    run_until([&] { return !second.failures().empty(); });
    EXPECT_EQ(second.failures().front(), server_error::node_exists);
    EXPECT_EQ(second.begun(), 0);
}

TEST_F(PartitionCoreTest, ALostReplyToTheWriteOfThePlanDoesNoHarm) {
    auto& a = begun(0, "a");
    run_until([&] {
        return client(0).next_request().find("/plan") != std::string::npos && a.begun() == 0 && client(0).next_is_effective();
    });
    lose_replies(0);
    await({6});
    EXPECT_TRUE(plan().has_value());
}

TEST_F(PartitionCoreTest, ReadsTheDistribution) {
    begun(0, "a");
    begun(1, "b");
    await({3, 3});
    Distribution found;
    bool done = false;
    initiate_distribution(members[0]->core, {}, [&](error_code ec, Distribution distribution) {
        EXPECT_EQ(ec, error_code{});
        found = std::move(distribution);
        done = true;
    });
    run_until([&] {
        world.surroundings().handlers.restart();
        world.surroundings().handlers.poll();
        return done;
    });
    ASSERT_EQ(found.members.size(), 2u);
    EXPECT_EQ(found.members[0].id, "a");
    EXPECT_TRUE(found.members[1].present);
    EXPECT_EQ(found.members[1].items.size(), 3u);
}

} // namespace
} // namespace docent::detail
