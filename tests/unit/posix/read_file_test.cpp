// SPDX-License-Identifier: Apache-2.0
#include "posix/descriptors.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

namespace docent::posix {
namespace {

TEST(ReadFile, GivesAllOfIt) {
    const std::string name = testing::TempDir() + "docent-read-file-test";
    const std::string text(10000, '\0');
    std::ofstream(name, std::ios::binary) << text << "end\n";
    EXPECT_EQ(read_file(name), text + "end\n");
    std::remove(name.c_str());
    EXPECT_EQ(read_file(name), std::nullopt);
    EXPECT_EQ(errno, ENOENT);
}

TEST(ReadFile, ThatCannotBeReadIsNothing) {
    EXPECT_EQ(read_file("/"), std::nullopt);
    EXPECT_EQ(errno, EISDIR);
    EXPECT_EQ(read_file("/proc/self/mem"), std::nullopt) << "like that of a process that ends while it is read";
    EXPECT_EQ(errno, EIO);
}

} // namespace
} // namespace docent::posix
