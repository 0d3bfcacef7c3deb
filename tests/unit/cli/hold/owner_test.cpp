// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/owner.hpp"

#include <gtest/gtest.h>

#include <string>

#include <unistd.h>

namespace docent::cli {
namespace {

TEST(OwnerId, IsBelowTheOwnerOfTheCaller) {
    EXPECT_EQ(owner_below("", "b"), "b");
    EXPECT_EQ(owner_below("a", "b"), "a/b");
    EXPECT_EQ(owner_below("a/b", "c"), "a/b/c");
}

TEST(OwnerId, IsNoneIfItWouldBeTooLongOrWasNone) {
    const std::string longest(198, 'a');
    EXPECT_EQ(owner_below(longest, "b"), longest + "/b");
    EXPECT_EQ(owner_below(std::string(199, 'a'), "b"), std::nullopt);
    EXPECT_EQ(owner_below("a b", "c"), std::nullopt);
    EXPECT_EQ(owner_below("a\n", "c"), std::nullopt);
}

TEST(OwnerId, HasMarksOfItsHolder) {
    EXPECT_EQ(with_marks("0f", {}), "0f");
    EXPECT_EQ(with_marks("0f", {.permits = 3, .revocable = true}), "0f:n3:r");
    for (const OwnerMarks& marks : {OwnerMarks{}, {.permits = 7}, {.revocable = true}, {.permits = 3, .revocable = true}}) {
        EXPECT_EQ(marks_of(with_marks("0f", marks)), marks);
        EXPECT_EQ(marks_of("aa:n9:r/" + with_marks("0f", marks)), marks) << "the first part is of another holder";
    }
    for (const auto* other : {"", "a", "a:", "a:n", "a:n0", "a:n-1", "a:nx", "a:rr", "a:n99999999999", "n3", "/"}) {
        EXPECT_EQ(marks_of(other), OwnerMarks{}) << other;
    }
}

TEST(OwnerId, OfAProcessStays) {
    ASSERT_TRUE(own_owner());
    EXPECT_EQ(own_owner(), own_owner());
    EXPECT_GE(own_owner()->size(), 12u);
}

TEST(OtherLimit, IsNamedWithItsHolder) {
    EXPECT_EQ(other_limit_text("/s", 3, "ann\ndocent-owner: 0f:n2"),
              "semaphore /s: --permits is 3 here, but 2 for ann; all users of a path must give the same number");
    EXPECT_EQ(other_limit_text("/s", 3, "__REVOKE__\nann\ndocent-owner: aa:n3/0f:n2:r"),
              "semaphore /s: --permits is 3 here, but 2 for ann; all users of a path must give the same number");
    EXPECT_NE(other_limit_text("/s", 3, "\ndocent-owner: 0f:n2").find("for a holder without a label"), std::string::npos);
}

TEST(OtherLimit, OfAHolderThatDoesNotTellNothingIsSaid) {
    for (const auto* data :
         {"", "ann", "10.0.0.5", "ann\ndocent-owner: 0f", "ann\ndocent-owner: 0f:n3", "ann\ndocent-owner: aa:n2/0f"})
        EXPECT_EQ(other_limit_text("/s", 3, data), "") << data;
}

TEST(Label, HasADefault) {
    EXPECT_EQ(label_of({.label = "me"}), "me");
    EXPECT_EQ(label_of({.label = ""}), "");
    const std::string label = label_of({.program = {"/usr/bin/import.sh", "--password=secret"}});
    EXPECT_TRUE(label.ends_with("@" + machine_name() + ":" + std::to_string(::getpid()) + " import.sh")) << label;
    EXPECT_TRUE(label_of({}).ends_with(":" + std::to_string(::getpid())));
}

TEST(RevocationOfANode, KeepsItsData) {
    EXPECT_EQ(with_request("ann\ndocent-owner: 0f:r"), "__REVOKE__\nann\ndocent-owner: 0f:r");
    EXPECT_EQ(with_request(""), "__REVOKE__");
    EXPECT_EQ(with_request("__REVOKE__"), "__REVOKE__");
    EXPECT_EQ(with_request("__REVOKE__\nann"), "__REVOKE__\nann");
}

TEST(RevocationOfANode, ItsDataTellsWhetherTheHolderListens) {
    for (const auto* data :
         {"", "__REVOKE__", "ann\ndocent-owner: 0f:r", "ann\ndocent-owner: aa/0f:n3:r", "__REVOKE__\nann\ndocent-owner: 0f:r"})
        EXPECT_TRUE(is_known_to_listen(data)) << data;
    for (const auto* data : {"ann", "10.0.0.5", "ann\ndocent-owner: 0f", "ann\ndocent-owner: aa:r/0f", "__REVOKE__\nann"})
        EXPECT_FALSE(is_known_to_listen(data)) << data;
}

} // namespace
} // namespace docent::cli
