// SPDX-License-Identifier: Apache-2.0
#include "names/node_name.hpp"

#include "inspection/inspection.hpp"
#include "queue/contender.hpp"

#include <docent/error.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/revocation.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace docent::detail {
namespace {

TEST(NodeName, IsProtectionTokenAndNumber) {
    EXPECT_EQ(parse_node_name(mutex_names(), "_c_0f3a4b5c-0000-4000-8000-000000000001-lock-0000000042"),
              (NodeName{"0f3a4b5c-0000-4000-8000-000000000001", lock_token, 42}));
}

TEST(NodeName, TellsLocksOfAnotherKindFromOnesOwnAndFromStrangers) {
    const std::string lock = "_c_0f3a4b5c-0000-4000-8000-000000000001-lock-0000000042";
    EXPECT_FALSE(has_other_locks(mutex_names(), {}));
    EXPECT_FALSE(has_other_locks(mutex_names(), {lock, "odd", "locks", "0f3a__rlock__0000000000"}));
    EXPECT_TRUE(has_other_locks(read_write_names(), {"odd", lock}));
    EXPECT_TRUE(has_other_locks(mutex_names(), {lock, "__WRIT__0000000001"}));
    EXPECT_TRUE(has_other_locks(mutex_names(), {lock, "latch-0000000001"}));
    EXPECT_TRUE(has_other_locks(mutex_names(), {"leases", "locks"})) << "a semaphore";
    EXPECT_TRUE(has_other_locks(mutex_names(), {lock, "leases"})) << "one at whose gate nobody has been for a while";
    EXPECT_FALSE(has_other_locks(read_write_names(), {"__READ__0000000000", "__WRIT__0000000001"}));
}

TEST(NodeName, NeedsNoProtection) {
    EXPECT_EQ(parse_node_name(mutex_names(), "lock-0000000001"), (NodeName{"", lock_token, 1}));
}

TEST(NodeName, TokenIsTheLastOne) {
    EXPECT_EQ(parse_node_name(mutex_names(), "_c_lock-0000000001-lock-0000000002"),
              (NodeName{"lock-0000000001", lock_token, 2}));
    EXPECT_EQ(parse_node_name(read_write_names(), "_c_a-__READ__0000000003"), (NodeName{"a", read_token, 3}));
    EXPECT_EQ(parse_node_name(read_write_names(), "_c_a-__WRIT__0000000003"), (NodeName{"a", write_token, 3}));
    EXPECT_EQ(parse_node_name(read_write_names(), "_c___WRIT__-__READ__0000000003"), (NodeName{"__WRIT__", read_token, 3}));
}

TEST(NodeName, OfOneRecipeIsNoneOfAnother) {
    EXPECT_EQ(parse_node_name(mutex_names(), "_c_a-__READ__0000000001"), std::nullopt);
    EXPECT_EQ(parse_node_name(lease_names(), "_c_a-lock-0000000001"), std::nullopt);
    EXPECT_EQ(parse_node_name(names_of_all_locks(), "_c_a-latch-0000000001"), std::nullopt);
    EXPECT_EQ(parse_node_name(latch_names(), "_c_a-latch-0000000001"), (NodeName{"a", latch_token, 1}));
}

TEST(NodeName, NumberIsTheServersTenDigits) {
    EXPECT_EQ(parse_node_name(mutex_names(), "lock-2147483647")->number, 2147483647);
    for (const char* name : {"", "0", "lock", "lock-", "lock-1", "lock-000000001", "lock-00000000001", "lock-000000000x",
                             "lock--000000001", "lock-0000000001 ", "lock-+000000001", "lock-2147483648", "lock-9999999999"}) {
        EXPECT_EQ(parse_node_name(mutex_names(), name), std::nullopt) << name;
    }
}

TEST(NodeName, NumbersBeyondTheLastAreNegative) {
    EXPECT_EQ(parse_node_name(mutex_names(), "_c_a-lock--2147483648"), (NodeName{"a", lock_token, -2147483647 - 1}));
    EXPECT_EQ(parse_node_name(read_write_names(), "__READ__-2147483647"), (NodeName{"", read_token, -2147483647}));
    EXPECT_EQ(parse_node_name(mutex_names(), "lock--2147483649"), std::nullopt);
    EXPECT_EQ(parse_node_name(mutex_names(), "lock---2147483648"), std::nullopt);
    EXPECT_EQ(parse_node_name(mutex_names(), "lock--0000000000"), std::nullopt);
    EXPECT_TRUE(is_lock_node("/a/_c_a-lock--2147483648"));
}

TEST(NodeName, NumbersThatOrderNodes) {
    EXPECT_TRUE(is_usable(0));
    EXPECT_TRUE(is_usable(2147483646));
    EXPECT_FALSE(is_usable(2147483647)) << "every later child has it too";
    EXPECT_FALSE(is_usable(-1));
}

/// The queue, inspection and revocation agree on the names that are nodes of a lock.
TEST(NodeName, AllParsersAgree) {
    for (const char* name : {"block-0000000001", "_c_a-block-0000000001", "xlock-0000000001", "my-lock-0000000001",
                             "_c_lock-0000000001", "_c_-lock-0000000001", "_c_alock-0000000001", "config-__READ__0000000001",
                             "__WRIT__-__READ__0000000001", "release-0000000001"}) {
        EXPECT_EQ(parse_contender(mutex_names(), name), std::nullopt) << name;
        EXPECT_EQ(parse_contender(read_write_names(), name), std::nullopt) << name;
        EXPECT_EQ(parse_contender(lease_names(), name), std::nullopt) << name;
        EXPECT_FALSE(is_lock_node("/a/" + std::string(name))) << name;
        EXPECT_EQ(classify("/a", ChildrenOf::path, {name}).strangers, std::vector<std::string>{name});
    }
    for (const char* name : {"lock-0000000001", "_c_a-lock-0000000001", "_c_a-__READ__0000000001", "__WRIT__0000000001"}) {
        const bool in_a_queue = parse_contender(mutex_names(), name) || parse_contender(read_write_names(), name);
        EXPECT_TRUE(in_a_queue) << name;
        EXPECT_TRUE(is_lock_node("/a/" + std::string(name))) << name;
        EXPECT_EQ(classify("/a", ChildrenOf::path, {name}).participants.size(), 1u) << name;
    }
}

TEST(OtherNames, AnythingMayStandInFrontOfTheirTokens) {
    const auto names = mutex_names().beside(make_other_names(kazoo_contenders(), "/a"));
    const std::string id = "6f1d0c4be1f84a9a8a7c3f5d2b0e9c11";
    const auto kazoos = parse_node_name(names, id + "__lock__0000000007");
    ASSERT_TRUE(kazoos);
    EXPECT_EQ(*kazoos, (NodeName{"", {"__lock__", ContenderKind::exclusive}, 7}));
    EXPECT_EQ(parse_node_name(names, id + "__rlock__0000000008")->token.kind, ContenderKind::shared);
    EXPECT_EQ(parse_node_name(names, id + "__lock__-2147483648")->number, -2147483647 - 1);
    EXPECT_EQ(parse_node_name(names, "_c_a-lock-0000000009"), (NodeName{"a", lock_token, 9}));
    EXPECT_EQ(parse_node_name(mutex_names(), id + "__lock__0000000007"), std::nullopt) << "who was not told";
    for (const char* name : {"x__lock__", "x__lock__7", "__lock__x0000000007", "x_lock__0000000007", "my-lock-0000000001"}) {
        EXPECT_EQ(parse_node_name(names, name), std::nullopt) << name;
    }
    const auto queue =
        sorted_queue(names, {id + "__lock__0000000003", "_c_a-lock-0000000002", "stray", id + "__rlock__0000000001"});
    ASSERT_EQ(queue.size(), 3u);
    EXPECT_EQ(queue[1].name, "_c_a-lock-0000000002");
    EXPECT_EQ(admit(queue, queue[1].name), Admission(WaitFor{queue[0].name, Deletion::admits}));
}

TEST(OtherNames, OfTokensThatEndWithOneAnotherTheLongestCounts) {
    const auto others = make_other_names({.exclusive = {"lock"}, .shared = {"rlock", "my-lock-"}}, "/a");
    const auto names = mutex_names().beside(others);
    EXPECT_EQ(parse_node_name(names, "a-rlock0000000001")->token.kind, ContenderKind::shared);
    EXPECT_EQ(parse_node_name(names, "a-lock0000000001")->token.kind, ContenderKind::exclusive);
    EXPECT_EQ(parse_node_name(names, "my-lock-0000000001")->token.kind, ContenderKind::shared) << "not docent's own";
}

TEST(OtherNames, TokensThatCannotBe) {
    EXPECT_EQ(make_other_names({}, "/a"), nullptr);
    EXPECT_THROW(make_other_names({.exclusive = {""}}, "/a"), Error);
    EXPECT_THROW(make_other_names({.shared = {"a/b"}}, "/a"), Error);
}

TEST(NumberText, IsTheNumberAsItStands) {
    EXPECT_EQ(number_text("_c_a-__WRIT__0000000042"), "0000000042");
    EXPECT_EQ(number_text("42"), "42");
}

// ---- the owner of a lock

TEST(Owner, ComesBackWithTheDataAsTheyWere) {
    for (const std::string& data :
         std::vector<std::string>{"", "root@a:12 import.sh", "two\nlines\n", "\ndocent-owner: another"}) {
        EXPECT_EQ(split_owner(with_owner(data, "a/b")), (OwnedData{data, "a/b"})) << data;
    }
    const std::string longest(200, 'o');
    EXPECT_EQ(split_owner(with_owner("data", longest)), (OwnedData{"data", longest}));
}

TEST(Owner, DataThatIsNoOwnerStaysData) {
    const std::string title = "\ndocent-owner: ";
    for (const std::string& data :
         {std::string(), std::string("plain"), title, title + "a b", title + "a\n", title + std::string(201, 'o'),
          title + "\x80", title.substr(1) + "a", std::string("__REVOKE__"), std::string(300, '\0')}) {
        EXPECT_EQ(split_owner(data), (OwnedData{data, ""})) << data;
    }
}

TEST(Owner, IsPrintable) {
    EXPECT_TRUE(is_owner("a"));
    EXPECT_TRUE(is_owner("web-2:4711:0x7f/b"));
    EXPECT_TRUE(is_owner(std::string(200, 'o')));
    for (const std::string& none :
         {std::string(), std::string(201, 'o'), std::string("a b"), std::string("a\n"), std::string("\xc3\xa9")})
        EXPECT_FALSE(is_owner(none)) << none;
}

} // namespace
} // namespace docent::detail
