// SPDX-License-Identifier: Apache-2.0
#include "names/node_name.hpp"

#include <docent/recipes/inspection.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace docent::detail {
namespace {

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
