// SPDX-License-Identifier: Apache-2.0
#include "session/connect_string.hpp"

#include <gtest/gtest.h>

namespace docent::session {
namespace {

ConnectString parse(std::string_view text) {
    std::string fault;
    ConnectString result = parse_connect_string(text, fault);
    EXPECT_EQ(fault, "") << text;
    return result;
}

TEST(ConnectString, ServersAndChroot) {
    EXPECT_EQ(parse("a:1,b:2/app/x"), (ConnectString{{{"a", 1}, {"b", 2}}, "/app/x"}));
    EXPECT_EQ(parse("a"), (ConnectString{{{"a", 2181}}, ""}));
    EXPECT_EQ(parse(" a:1 , b:2"), (ConnectString{{{"a", 1}, {"b", 2}}, ""}));
    EXPECT_EQ(parse("a:1/"), (ConnectString{{{"a", 1}}, ""}));
}

TEST(ConnectString, IPv6) {
    EXPECT_EQ(parse("[::1]:2182,[fe80::1%eth0]"), (ConnectString{{{"::1", 2182}, {"fe80::1%eth0", 2181}}, ""}));
    EXPECT_EQ(parse("::1"), (ConnectString{{{"::1", 2181}}, ""}));
}

TEST(ConnectString, SaysWhatIsWrong) {
    for (const char* text :
         {"", ",", "a:1,", "a:0", "a:65536", "a:x", ":2181", "[::1", "[::1]2181", "a:1/b/", "a:1//", "a b:1"}) {
        std::string fault;
        parse_connect_string(text, fault);
        EXPECT_NE(fault, "") << text;
    }
}

TEST(ConnectString, EvenListsAreMadeOddForTheCClient) {
    EXPECT_EQ(to_server_list({{"1.1.1.1", 1}}), "1.1.1.1:1");
    EXPECT_EQ(to_server_list({{"1.1.1.1", 1}, {"::1", 2}}), "1.1.1.1:1,::1:2,1.1.1.1:1");
    EXPECT_EQ(to_server_list({{"a", 1}, {"b", 2}, {"c", 3}}), "a:1,b:2,c:3");
    EXPECT_EQ(to_server_list({}), "");
}

} // namespace
} // namespace docent::session
