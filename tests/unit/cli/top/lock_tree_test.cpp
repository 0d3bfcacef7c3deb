// SPDX-License-Identifier: Apache-2.0
#include "cli/top/lock_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;
using What = Ask::What;

class LockTreeTest : public ::testing::Test {
protected:
    explicit LockTreeTest(std::size_t most_nodes = 10'000) : tree("/app", most_nodes) {}

    void SetUp() override { tree.start(now); }

    /// The due requests as `list /app`, in the order of their paths.
    std::vector<std::string> due() {
        std::vector<std::string> texts;
        for (const Ask& ask : tree.due(now)) {
            texts.push_back((ask.what == What::list ? "list " : ask.what == What::read ? "read " : "await ") + ask.path);
        }
        std::sort(texts.begin(), texts.end());
        return texts;
    }
    using Texts = std::vector<std::string>;

    void listed(const std::string& path, std::vector<std::string> names, std::int32_t cversion = 0) {
        Stat stat{.czxid = 1, .cversion = cversion, .num_children = static_cast<std::int32_t>(names.size())};
        tree.on_listed(path, {std::move(names), stat}, now);
    }
    void read(const std::string& node, const std::string& label) { tree.on_read(node, {.label = label, .created = 1000}); }
    void changed(const std::string& path) { tree.on_changed(path, now); }
    /// Answers the list of /app with one child, and sends the list of this child.
    void list_root_with(const std::string& child) {
        due();
        listed("/app", {child});
        due();
    }
    /// /app with one lock, which has one holder and one waiter.
    void one_lock() {
        EXPECT_EQ(due(), Texts{"list /app"});
        listed("/app", {"a"});
        EXPECT_EQ(due(), Texts{"list /app/a"});
        listed("/app/a", {"lock-0000000001", "lock-0000000000"}, 2);
        EXPECT_EQ(due(), (Texts{"read /app/a/lock-0000000000", "read /app/a/lock-0000000001"}));
        read("/app/a/lock-0000000000", "ann");
        read("/app/a/lock-0000000001", "bob");
    }
    LockTree::Lock lock(const std::string& path) { return tree.locks(now).at(path); }

    LockTree tree;
    LockTree::Time now{100s};
};

TEST_F(LockTreeTest, AsksForListsAndForTwoNodesOfEachQueue) {
    one_lock();
    EXPECT_TRUE(tree.settled());
    EXPECT_EQ(due(), Texts{});
    EXPECT_EQ(tree.next_time(), std::nullopt);
    ASSERT_EQ(tree.locks(now).size(), 1U);
    const auto queue = lock("/app/a").queues.at(0);
    EXPECT_EQ(queue.holders, 1U);
    EXPECT_EQ(queue.waiters, 1U);
    ASSERT_NE(tree.details(queue.first_holder), nullptr);
    EXPECT_EQ(tree.details(queue.first_holder)->label, "ann");
}

TEST_F(LockTreeTest, NeverListsTheSameTwiceWithinASecond) {
    one_lock();
    changed("/app/a");
    changed("/app/a"); // a watch fires once; a second event must do no harm
    EXPECT_EQ(due(), Texts{});
    EXPECT_EQ(tree.next_time(), now + 1s);
    now += 1s;
    EXPECT_EQ(due(), Texts{"list /app/a"});
    listed("/app/a", {"lock-0000000001", "lock-0000000002"}, 4);
    EXPECT_EQ(due(), Texts{"read /app/a/lock-0000000002"}) << "the one before is known";
    EXPECT_EQ(lock("/app/a").queues.at(0).first_holder, "/app/a/lock-0000000001");
}

TEST_F(LockTreeTest, AChangeBeforeTheAnswerIsLookedAtAfterIt) {
    one_lock();
    now += 1s;
    changed("/app/a");
    EXPECT_EQ(due(), Texts{"list /app/a"});
    changed("/app/a");
    EXPECT_EQ(due(), Texts{});
    listed("/app/a", {}, 4);
    now += 1s;
    EXPECT_EQ(due(), Texts{"list /app/a"});
}

TEST_F(LockTreeTest, LocksComeAndGoWithTheirNodes) {
    one_lock();
    now += 1s;
    changed("/app");
    changed("/app/a"); // the node is gone
    EXPECT_EQ(due(), (Texts{"list /app", "list /app/a"}));
    tree.on_failed({What::list, "/app/a"}, Failure::gone, now);
    listed("/app", {"b"});
    EXPECT_EQ(tree.take_forgotten(), std::vector<std::string>{"/app/a"});
    EXPECT_EQ(tree.locks(now).size(), 0U);
    EXPECT_EQ(due(), Texts{"list /app/b"});
    listed("/app/b", {});
    EXPECT_EQ(tree.locks(now).size(), 0U) << "nobody has been there";
    now += 1s;
    changed("/app/b");
    due();
    listed("/app/b", {"_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-__READ__0000000000"}, 1);
    EXPECT_EQ(lock("/app/b").queues.at(0).kind, ParticipantKind::read);
    EXPECT_EQ(due().size(), 1U);
}

TEST_F(LockTreeTest, AnAnswerAboutAForgottenNodeIsIgnored) {
    one_lock();
    now += 1s;
    changed("/app/a");
    changed("/app");
    EXPECT_EQ(due(), (Texts{"list /app", "list /app/a"}));
    listed("/app", {});
    listed("/app/a", {"lock-0000000009"}, 9);
    EXPECT_TRUE(tree.settled());
    EXPECT_EQ(tree.locks(now).size(), 0U);
}

TEST_F(LockTreeTest, AStrangerThatLeadsToLocksIsNone) {
    list_root_with("a");
    listed("/app/a", {"lock-0000000000", "odd", "one", "two"}, 1);
    due();
    listed("/app/a/odd", {});
    listed("/app/a/one", {"lock-0000000000"}, 1);
    listed("/app/a/two", {"deep"});
    EXPECT_EQ(lock("/app/a").strangers, 2U) << "nothing is known of what is below two yet";
    due();
    listed("/app/a/two/deep", {"lock-0000000000"}, 1);
    EXPECT_EQ(lock("/app/a").strangers, 1U);
}

TEST_F(LockTreeTest, ASemaphoreIsOneLockWithThreeLists) {
    list_root_with("permits");
    listed("/app/permits", {"locks", "leases"});
    EXPECT_EQ(due(), (Texts{"list /app/permits/leases", "list /app/permits/locks"}));
    listed("/app/permits/leases", {"_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lease-0000000000"}, 1);
    listed("/app/permits/locks", {"lock-0000000000", "lock-0000000001"}, 2);
    EXPECT_EQ(due().size(), 2U) << "a lease, and who waits";
    const auto all = tree.locks(now);
    ASSERT_EQ(all.size(), 1U);
    const Queue queue = all.at("/app/permits").queues.at(0);
    EXPECT_EQ(queue.recipe, RecipeKind::semaphore);
    EXPECT_EQ(queue.holders, 1U);
    EXPECT_EQ(queue.waiters, 2U);
}

TEST_F(LockTreeTest, APermitThatIsOnlyReservedIsNotHeld) {
    list_root_with("permits");
    listed("/app/permits", {"locks", "leases"});
    due();
    const std::string gate = "/app/permits/locks/lock-0000000000";
    const std::string held = "_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lease-0000000000";
    const std::string reserved = "_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a12-lease-0000000001";
    listed("/app/permits/leases", {held, reserved}, 1);
    listed("/app/permits/locks", {"lock-0000000000"}, 2);
    EXPECT_EQ(due(), (Texts{"read /app/permits/leases/" + held, "read /app/permits/leases/" + reserved, "read " + gate}));
    EXPECT_EQ(lock("/app/permits").queues.at(0).holders, 2U) << "no session is known yet";
    tree.on_read("/app/permits/leases/" + held, {.label = "ann", .session_id = 1, .czxid = 3});
    tree.on_read("/app/permits/leases/" + reserved, {.label = "bob", .session_id = 2, .czxid = 5});
    tree.on_read(gate, {.label = "bob", .session_id = 2, .czxid = 4});
    const Queue queue = lock("/app/permits").queues.at(0);
    EXPECT_EQ(queue.holders, 1U);
    EXPECT_EQ(queue.reserved, 1U);
    EXPECT_EQ(queue.waiters, 1U);
    EXPECT_EQ(queue.first_holder, "/app/permits/leases/" + held);
}

/// Servers remove an empty gate while a permit is still held for long.
TEST_F(LockTreeTest, ASemaphoreWithoutItsGateIsOneAsLongAsPermitsAreHeld) {
    EXPECT_EQ(due(), Texts{"list /app"});
    listed("/app", {"sem"});
    EXPECT_EQ(due(), Texts{"list /app/sem"});
    listed("/app/sem", {"leases"});
    EXPECT_EQ(due(), Texts{"list /app/sem/leases"});
    listed("/app/sem/leases", {"_c_00000000-0000-4000-8000-000000000001-lease-0000000000"}, 1);
    ASSERT_EQ(tree.locks(now).size(), 1U);
    EXPECT_EQ(lock("/app/sem").queues.at(0).recipe, RecipeKind::semaphore);
    EXPECT_EQ(lock("/app/sem").queues.at(0).holders, 1U);
    due();
    now += 1s;
    changed("/app/sem/leases");
    due();
    listed("/app/sem/leases", {}, 2);
    ASSERT_EQ(tree.locks(now).size(), 1U);
    EXPECT_TRUE(lock("/app/sem").queues.empty());
}

TEST_F(LockTreeTest, ARootThatIsNotThereYetIsAwaited) {
    due();
    tree.on_failed({What::list, "/app"}, Failure::gone, now);
    EXPECT_EQ(due(), Texts{});
    now += 1s;
    EXPECT_EQ(due(), Texts{"await /app"});
    tree.on_awaited("/app", false, now);
    EXPECT_FALSE(tree.root_exists());
    EXPECT_TRUE(tree.settled());
    now += 1h;
    changed("/app");
    EXPECT_EQ(due(), Texts{"list /app"});
    listed("/app", {"a"});
    EXPECT_TRUE(tree.root_exists());
}

TEST_F(LockTreeTest, WithoutAnAnswerItAsksAgainASecondLater) {
    due();
    tree.on_failed({What::list, "/app"}, Failure::later, now);
    EXPECT_EQ(due(), Texts{});
    now += 1s;
    EXPECT_EQ(due(), Texts{"list /app"});
    listed("/app", {"a"});
    due();
    listed("/app/a", {"lock-0000000000"}, 1);
    due();
    tree.on_failed({What::read, "/app/a/lock-0000000000"}, Failure::later, now);
    now += 1s;
    EXPECT_EQ(due(), Texts{"list /app/a"});
    listed("/app/a", {"lock-0000000000"}, 1);
    EXPECT_EQ(due(), Texts{"read /app/a/lock-0000000000"});
}

TEST_F(LockTreeTest, UnlistableNodesAreCountedAndLeftAlone) {
    list_root_with("a");
    tree.on_failed({What::list, "/app/a"}, Failure::denied, now);
    EXPECT_EQ(tree.denied(), 1U);
    now += 1h;
    EXPECT_EQ(due(), Texts{});
    EXPECT_TRUE(tree.settled());
}

TEST_F(LockTreeTest, OfTheOpenQueueAllNodesAreRead) {
    list_root_with("a");
    listed("/app/a", {"lock-0000000000", "lock-0000000001", "lock-0000000002", "lock-0000000003"}, 4);
    EXPECT_EQ(due().size(), 2U);
    tree.open("/app/a");
    EXPECT_EQ(due(), (Texts{"read /app/a/lock-0000000002", "read /app/a/lock-0000000003"}));
    read("/app/a/lock-0000000003", "zoe");
    EXPECT_EQ(tree.participants("/app/a").participants.at(3).data, "zoe");
    tree.open("");
    EXPECT_EQ(tree.details("/app/a/lock-0000000003"), nullptr) << "kept for nobody";
}

TEST_F(LockTreeTest, ManyAreAskedForALittleAtATime) {
    due();
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) names.push_back("lock" + std::to_string(i));
    listed("/app", names);
    std::size_t asked = 0;
    for (auto asks = due(); !asks.empty(); asks = due()) {
        EXPECT_LE(asks.size(), 64U);
        asked += asks.size();
        for (const auto& ask : asks) listed(ask.substr(5), {});
    }
    EXPECT_EQ(asked, 1000U);
    EXPECT_TRUE(tree.settled());
}

class SmallLockTreeTest : public LockTreeTest {
protected:
    SmallLockTreeTest() : LockTreeTest(3) {}
};

TEST_F(SmallLockTreeTest, MoreThanItsLimitAreLeftOutAndCounted) {
    due();
    listed("/app", {"a", "b", "c", "d"});
    EXPECT_EQ(due(), (Texts{"list /app/a", "list /app/b"}));
    EXPECT_EQ(tree.left_out(), 2U);
    listed("/app/a", {"lock-0000000000"}, 1);
    EXPECT_EQ(due().size(), 1U) << "locks' nodes do not count";
}

TEST(Turns, AreCountedByTheServersNumbers) {
    const QueueMark before{.czxid = 1, .cversion = 10, .children = 2, .first_holder = "a"};
    EXPECT_EQ(turns_between(before, {.czxid = 1, .cversion = 20, .children = 2, .first_holder = "b"}), 5U);
    EXPECT_EQ(turns_between(before, {.czxid = 1, .cversion = 12, .children = 0, .first_holder = ""}), 2U);
    EXPECT_EQ(turns_between(before, {.czxid = 1, .cversion = 14, .children = 2, .first_holder = "a"}), 0U)
        << "two gave up behind the one who holds";
    EXPECT_EQ(turns_between(before, {.czxid = 2, .cversion = 30, .children = 2, .first_holder = "b"}), 0U) << "another node";
    const QueueMark high{.czxid = 1, .cversion = 2'147'483'646, .children = 1, .first_holder = "a"};
    EXPECT_EQ(turns_between(high, {.czxid = 1, .cversion = -2'147'483'646, .children = 1, .first_holder = "b"}), 2U);
}

TEST(Turns, OfTheLastMinute) {
    const TurnRate::Time start{50s};
    TurnRate rate(start);
    EXPECT_EQ(rate.per_minute(start + 4s), std::nullopt);
    rate.add(start + 4s, 5);
    EXPECT_DOUBLE_EQ(rate.per_minute(start + 10s).value(), 30);
    EXPECT_DOUBLE_EQ(rate.per_minute(start + 60s).value(), 5);
    EXPECT_DOUBLE_EQ(rate.per_minute(start + 65s).value(), 0);
}

} // namespace
} // namespace docent::cli
