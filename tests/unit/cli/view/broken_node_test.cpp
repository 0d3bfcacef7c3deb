// SPDX-License-Identifier: Apache-2.0
#include "cli/view/inspection_table.hpp"

#include "cli/view/terminal.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

TEST(BrokenNode, OnlyNodesOfRecipes) {
    for (const char* node : {"/a/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lock-0000000001", "/a/lock-0000000001",
                             "/a/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-__READ__0000000001", "/a/__WRIT__0000000002",
                             "/a/leases/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lease-0000000003",
                             "/a/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-latch-0000000004"}) {
        EXPECT_TRUE(is_participant(node, {})) << node;
    }
    for (const char* node : {"/", "/a", "/a/lock-1", "/a/config", "/a/0f3a__lock__0000000001"}) {
        EXPECT_FALSE(is_participant(node, {})) << node;
    }
    EXPECT_TRUE(is_participant("/a/0f3a__lock__0000000001", {.others = kazoo_contenders()}));
}

TEST(BrokenNode, ItsRecipeMayBeTwoLevelsUp) {
    EXPECT_EQ(paths_of_recipe("/a/leases/lease-0000000001"), (std::vector<std::string>{"/a", "/a/leases"}));
    EXPECT_EQ(paths_of_recipe("/a/lock-0000000001"), std::vector<std::string>{"/a"});
    EXPECT_EQ(paths_of_recipe("/lock-0000000001"), std::vector<std::string>{"/"});
}

TEST(BrokenNode, NamesTheHolder) {
    const Participant holder{.recipe = RecipeKind::mutex,
                             .kind = ParticipantKind::lock,
                             .node_path = "/a/lock-0000000001",
                             .position = 0,
                             .holds = true,
                             .data = "root@a:1 \x1b[2J",
                             .session_id = 0x1a,
                             .fencing_token = 7,
                             .created = 100'000};
    Participant waiter = holder;
    waiter.node_path = "/a/lock-0000000002";
    waiter.holds = false;
    const std::chrono::system_clock::time_point now{std::chrono::seconds(400)};
    EXPECT_EQ(broken_node_text({holder, waiter}, "/a/lock-0000000001", now, Charset::utf8),
              "/a/lock-0000000001\n  recipe   mutex, lock\n  state    holds; 1 waits there\n  label    root@a:1 ?[2J\n"
              "  age      5m00s\n  session  0x1a\n  token    7\n");
}

TEST(BrokenNode, SaysThatAPersistentNodeStays) { // made by hand
    Participant holder{};
    holder.node_path = "/a/lock-0000000001";
    holder.holds = true;
    const auto text = broken_node_text({holder}, "/a/lock-0000000001", {}, Charset::utf8);
    EXPECT_NE(text.find("\n  session  none: it stays until it is removed\n"), std::string::npos) << text;
}

TEST(BrokenNode, OnlyYesIsYes) {
    for (const char* yes : {"y", "Y", "yes", " YES \r"}) EXPECT_TRUE(is_yes(yes)) << yes;
    for (const char* no : {"", "n", "no", "yess", "yesterday", "1"}) EXPECT_FALSE(is_yes(no)) << no;
}

} // namespace
} // namespace docent::cli
