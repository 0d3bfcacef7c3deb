// SPDX-License-Identifier: Apache-2.0
#include "inspection/inspection.hpp"
#include "names/node_name.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

/// `path position kind` for each contender, with a star for a holder.
std::vector<std::string> lines(const Classified& found) {
    std::vector<std::string> text;
    for (const Participant& one : found.participants) {
        text.push_back(one.node_path + " " + std::to_string(one.position) + " " + std::string(to_string(one.kind)) +
                       (one.holds ? "*" : ""));
    }
    return text;
}

using Lines = std::vector<std::string>;

TEST(Classify, MutexIsHeldByTheFirst) {
    const auto found = classify("/p", ChildrenOf::path, {"_c_b-lock-0000000009", "_c_a-lock-0000000010", "lock-0000000003"});
    EXPECT_EQ(lines(found),
              (Lines{"/p/lock-0000000003 0 lock*", "/p/_c_b-lock-0000000009 1 lock", "/p/_c_a-lock-0000000010 2 lock"}));
    EXPECT_EQ(found.participants[0].recipe, RecipeKind::mutex);
    EXPECT_TRUE(found.strangers.empty());
    EXPECT_FALSE(found.is_semaphore);
}

TEST(Classify, ReadersInFrontOfTheFirstWriterHold) {
    const auto found =
        classify("/p", ChildrenOf::path,
                 {"_c_a-__READ__0000000001", "_c_b-__READ__0000000002", "_c_c-__WRIT__0000000003", "_c_d-__READ__0000000004"});
    EXPECT_EQ(lines(found), (Lines{"/p/_c_a-__READ__0000000001 0 read*", "/p/_c_b-__READ__0000000002 1 read*",
                                   "/p/_c_c-__WRIT__0000000003 2 write", "/p/_c_d-__READ__0000000004 3 read"}));
}

TEST(Classify, WriterThatReadsBesideItsOwnNode) {
    const auto found = classify("/p", ChildrenOf::path, {"_c_r-__READ__0000000001", "_c_w-__WRIT__0000000001"});
    EXPECT_EQ(lines(found), (Lines{"/p/_c_w-__WRIT__0000000001 0 write*", "/p/_c_r-__READ__0000000001 1 read"}))
        << "of the two, the write node tells";
}

TEST(Classify, ForeignChildrenAreStrangers) {
    const auto found = classify("/p", ChildrenOf::path, {"zebra", "0", "_c_a-lock-0000000001", "lock-1", "locks"});
    EXPECT_EQ(found.strangers, (Lines{"0", "lock-1", "zebra"}));
    EXPECT_TRUE(found.is_semaphore);
}

TEST(Classify, SemaphoresHaveAGateAndLeases) {
    EXPECT_EQ(lines(classify("/p/leases", ChildrenOf::leases, {"_c_b-lease-0000000002", "_c_a-lease-0000000001"})),
              (Lines{"/p/leases/_c_a-lease-0000000001 0 lease*", "/p/leases/_c_b-lease-0000000002 1 lease*"}));
    EXPECT_EQ(lines(classify("/p/locks", ChildrenOf::gate, {"_c_a-lock-0000000001"})),
              (Lines{"/p/locks/_c_a-lock-0000000001 0 lock"}))
        << "whoever has the gate waits for a lease";
    EXPECT_EQ(classify("/p/leases", ChildrenOf::leases, {"x"}).strangers, Lines{"x"});
}

TEST(Classify, LatchesAndSeveralRecipesAtOnePath) {
    const auto found = classify("/p", ChildrenOf::path, {"_c_a-latch-0000000001", "_c_b-lock-0000000002"});
    EXPECT_EQ(lines(found), (Lines{"/p/_c_b-lock-0000000002 0 lock*", "/p/_c_a-latch-0000000001 0 latch*"}));
}

TEST(Classify, OfOtherLibrariesAreStrangersUnlessItIsToldOfThem) {
    const std::vector<std::string> children{"a1__lock__0000000003", "_c_b-lock-0000000004"};
    EXPECT_EQ(classify("/p", ChildrenOf::path, children).strangers, Lines{"a1__lock__0000000003"});
    const auto told = classify("/p", ChildrenOf::path, children, make_other_names(kazoo_contenders(), "/p"));
    EXPECT_EQ(lines(told), (Lines{"/p/a1__lock__0000000003 0 lock*", "/p/_c_b-lock-0000000004 1 lock"}));
    EXPECT_EQ(told.participants[0].recipe, RecipeKind::mutex);
    EXPECT_TRUE(told.strangers.empty());
}

TEST(Classify, OtherReadersAndWritersStandInTheQueueOfAReadWriteLock) {
    const auto kazoo = make_other_names(kazoo_contenders(), "/p");
    const auto found = classify(
        "/p", ChildrenOf::path,
        {"a1__rlock__0000000001", "_c_b-__READ__0000000002", "c1__lock__0000000003", "_c_d-__READ__0000000004", "odd"}, kazoo);
    EXPECT_EQ(lines(found), (Lines{"/p/a1__rlock__0000000001 0 read*", "/p/_c_b-__READ__0000000002 1 read*",
                                   "/p/c1__lock__0000000003 2 write", "/p/_c_d-__READ__0000000004 3 read"}));
    EXPECT_EQ(found.participants[2].recipe, RecipeKind::read_write_lock);
    EXPECT_EQ(found.strangers, Lines{"odd"});
    EXPECT_EQ(lines(classify("/p", ChildrenOf::path, {"_c_a-__WRIT__0000000001", "c1__lock__0000000002"}, kazoo)),
              (Lines{"/p/_c_a-__WRIT__0000000001 0 write*", "/p/c1__lock__0000000002 1 write"}));
}

TEST(InspectNames, OfAPathAndOfASemaphoresParts) {
    const auto seen = inspect_names("/p", {.children = {"_c_b-lock-0000000002", "_c_a-lock-0000000001", "odd"}});
    ASSERT_EQ(seen.participants.size(), 2U);
    EXPECT_EQ(seen.participants[0].node_path, "/p/_c_a-lock-0000000001");
    EXPECT_TRUE(seen.participants[0].holds);
    EXPECT_EQ(seen.strangers, Lines{"odd"});
    const auto permits = inspect_names(
        "/p", {.children = {"locks", "leases"}, .gate = {"_c_a-lock-0000000001"}, .leases = {"_c_b-lease-0000000000", "odd"}});
    ASSERT_EQ(permits.participants.size(), 2U);
    EXPECT_EQ(permits.participants[0].node_path, "/p/leases/_c_b-lease-0000000000");
    EXPECT_EQ(permits.participants[0].kind, ParticipantKind::lease);
    EXPECT_EQ(permits.participants[1].node_path, "/p/locks/_c_a-lock-0000000001");
    EXPECT_FALSE(permits.participants[1].holds);
    EXPECT_EQ(permits.strangers, Lines{"leases/odd"});
    const RecipeChildren kazoos{.children = {"a1__lock__0000000003"}};
    EXPECT_EQ(inspect_names("/p", kazoos).strangers.size(), 1U);
    EXPECT_EQ(inspect_names("/p", kazoos, {.others = kazoo_contenders()}).participants.size(), 1U);
}

} // namespace
} // namespace docent::detail
