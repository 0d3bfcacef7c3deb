// SPDX-License-Identifier: Apache-2.0
#include "folder.hpp"
#include "posix/descriptors.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace docent::posix {
namespace {

TEST(ReadFile, GivesAllOfIt) {
    const test::Folder folder;
    const std::string name = folder / "file";
    const std::string text(10000, '\0');
    std::ofstream(name, std::ios::binary) << text << "end\n";
    EXPECT_EQ(read_file(name), text + "end\n");
    std::filesystem::remove(name);
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
