// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/lock_command.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

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

} // namespace
} // namespace docent::cli
