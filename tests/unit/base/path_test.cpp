// SPDX-License-Identifier: Apache-2.0
#include <docent/path.hpp>

#include <gtest/gtest.h>

namespace docent {
namespace {

TEST(Path, AcceptsPathsThatZooKeeperAccepts) {
    for (const char* path :
         {"/", "/a", "/a/b", "/a.b", "/...", "/.a", "/a..", "/ ", "/\xc3\xa9", "/\xe2\x82\xac", "/a-b_c%20"}) {
        EXPECT_EQ(explain_path(path), "") << path;
        EXPECT_FALSE(check_path(path)) << path;
    }
}

TEST(Path, RefusesPathsThatTheServerWouldReadDifferently) {
    using namespace std::string_view_literals;
    for (const std::string_view path : {""sv,
                                        "a"sv,
                                        "a/b"sv,
                                        "/a/"sv,
                                        "//"sv,
                                        "/a//b"sv,
                                        "/./a"sv,
                                        "/a/.."sv,
                                        "/a\0b"sv,
                                        "/a\nb"sv,
                                        "/\x1f"sv,
                                        "/\x7f"sv,
                                        "/\xc2\x80"sv,
                                        "/\xc3"sv,
                                        "/\xff"sv,
                                        "/\xed\xa0\x80"sv,
                                        "/\xf0\x9f\x98\x80"sv,
                                        "/\xee\x80\x80"sv,
                                        "/\xef\xbf\xbf"sv,
                                        "/\xc0\xaf"sv}) {
        EXPECT_EQ(check_path(path), error::invalid_path) << path;
        EXPECT_NE(explain_path(path), "") << path;
    }
}

TEST(Path, OfAProtectedNodeHasAGuidAndAPlainName) {
    const std::string guid = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";
    EXPECT_EQ(protected_name("/jobs/_c_" + guid + "-a-0000000007"), (ProtectedName{guid, "a-0000000007"}));
    EXPECT_EQ(protected_name("_c_" + guid + "-a"), (ProtectedName{guid, "a"}));
    EXPECT_EQ(protected_name("/_c_" + guid + "-"), (ProtectedName{guid, ""})) << "of a sequential node of an empty name";
    for (const std::string& plain : {std::string("/"), std::string("/jobs/a"), "/_c_" + guid, "/_c_" + guid + "/a",
                                     "/_c_" + guid.substr(1) + "-a", "/c_" + guid + "-a", "/_c_x" + guid.substr(1) + "-a"}) {
        EXPECT_EQ(protected_name(plain), std::nullopt) << plain;
    }
}

TEST(Path, SplitsAndJoins) {
    EXPECT_EQ(join_path("/", "a"), "/a");
    EXPECT_EQ(join_path("/a", "b"), "/a/b");
    EXPECT_EQ(join_path("/a/", "/b"), "/a/b");
    EXPECT_EQ(join_path("/", "/b"), "/b");
    EXPECT_EQ(join_path("/a", "/b/c"), "/a/b/c");
    EXPECT_EQ(parent_path("/a/b"), "/a");
    EXPECT_EQ(parent_path("/a"), "/");
    EXPECT_EQ(parent_path("/"), "/");
    EXPECT_EQ(node_name("/a/b"), "b");
    EXPECT_EQ(node_name("/"), "");
    EXPECT_EQ(ancestor_paths("/a/b/c"), (std::vector<std::string>{"/a", "/a/b"}));
    EXPECT_TRUE(ancestor_paths("/a").empty());
}

} // namespace
} // namespace docent
