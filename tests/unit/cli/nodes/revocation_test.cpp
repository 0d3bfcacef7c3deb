// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/revoke_command.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

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
