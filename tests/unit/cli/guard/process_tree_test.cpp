// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/process_tree.hpp"

#include "descriptor_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <unistd.h>

namespace docent::cli {
namespace {

TEST(ProcessStat, IsParsed) {
    EXPECT_EQ(parse_process_stat("17 (cat) S 4 17 4 0 -1"), (ProcessEntry{17, 4, false}));
    EXPECT_EQ(parse_process_stat("17 (cat) Z 4 17 4 0 -1"), (ProcessEntry{17, 4, true}));
}

TEST(ProcessStat, ANameMayBeAnything) {
    EXPECT_EQ(parse_process_stat("17 (a) Z 1 (b) (S) R 4 17 4"), (ProcessEntry{17, 4, false}));
    EXPECT_EQ(parse_process_stat("17 () S 9) S 4 17"), (ProcessEntry{17, 4, false}));
}

TEST(ProcessStat, OfAProcessThatHasJustGoneIsNothing) {
    for (const auto* text : {"", "17", "17 (cat", "17 (cat) ", "17 (cat) S", "17 (cat) S x 1", "x (cat) S 4 1"}) {
        EXPECT_EQ(parse_process_stat(text), std::nullopt) << text;
    }
}

TEST(ProcessTree, HasChildrenAndTheirs) {
    const std::vector<ProcessEntry> table{{1, 0}, {5, 20}, {10, 1}, {20, 10}, {21, 10}, {30, 1}, {40, 30}};
    EXPECT_EQ(find_descendants(10, table), (std::vector<pid_t>{20, 21, 5}));
    EXPECT_EQ(find_descendants(40, table), (std::vector<pid_t>{}));
    EXPECT_EQ(find_descendants(99, table), (std::vector<pid_t>{}));
}

TEST(ProcessTree, WhatHasEndedDoesNotCount) {
    EXPECT_EQ(find_descendants(10, {{10, 1}, {20, 10, true}, {21, 10}}), (std::vector<pid_t>{21}));
}

TEST(ProcessTable, HasUsAndOurParent) {
    const auto table = read_process_table();
    ASSERT_TRUE(table);
    EXPECT_NE(std::find(table->begin(), table->end(), ProcessEntry{::getpid(), ::getppid(), false}), table->end());
}

TEST(ProcessTable, WithoutDescriptorsIsUnknownNotEmpty) {
    for (const rlim_t more : {0U, 1U}) { // one is for the folder
        const test::DescriptorLimit limit(more);
        EXPECT_FALSE(read_process_table()) << more;
    }
}

} // namespace
} // namespace docent::cli
