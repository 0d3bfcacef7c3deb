// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/process_folder.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace docent::cli {
namespace {

std::vector<pid_t> numbers_of_descendants(pid_t root, const std::vector<ProcessEntry>& table) {
    std::vector<pid_t> numbers;
    for (const ProcessEntry& each : find_descendants(root, table)) numbers.push_back(each.pid);
    return numbers;
}

TEST(ProcessTree, HasChildrenAndGrandchildren) {
    const std::vector<ProcessEntry> table{{1, 0}, {5, 20}, {10, 1}, {20, 10}, {30, 1}, {40, 30}};
    EXPECT_EQ(numbers_of_descendants(10, table), (std::vector<pid_t>{20, 5}));
    EXPECT_EQ(numbers_of_descendants(40, table), (std::vector<pid_t>{}));
    EXPECT_EQ(numbers_of_descendants(99, table), (std::vector<pid_t>{}));
}

TEST(ProcessTree, EndedProcessesDoNotCount) {
    EXPECT_EQ(numbers_of_descendants(10, {{10, 1}, {20, 10, true}, {21, 10}}), (std::vector<pid_t>{21}));
}

/// The kernel may reuse process numbers while the table is read.
TEST(ProcessTree, ACircleEnds) {
    EXPECT_EQ(numbers_of_descendants(10, {{10, 20}, {20, 10}, {21, 22}, {22, 21}}), (std::vector<pid_t>{20}));
    EXPECT_EQ(numbers_of_descendants(10, {{20, 10}, {20, 20}}), (std::vector<pid_t>{20, 20}));
}

} // namespace
} // namespace docent::cli
