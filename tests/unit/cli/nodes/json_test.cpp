// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/json.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

using namespace std::string_view_literals;

std::string in_json(std::string_view text) {
    return serialized(json_string(text));
}

TEST(Json, EscapesSpecialCharacters) {
    EXPECT_EQ(in_json("plain"), R"("plain")");
    EXPECT_EQ(in_json("\"\\/"), R"("\"\\/")");
    EXPECT_EQ(in_json("\b\f\n\r\t"), R"("\b\f\n\r\t")");
    EXPECT_EQ(in_json("\0\x01\x1f\x7f"sv), R"("\u0000\u0001\u001f\u007f")");
    EXPECT_EQ(in_json("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x92"), "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x92\"");
}

TEST(Json, ReplacesBytesThatAreNoUtf8) {
    EXPECT_EQ(in_json("a\xff"
                      "b"),
              "\"a\xef\xbf\xbd"
              "b\"");
    EXPECT_EQ(in_json("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(Json, KnowsUtf8) {
    for (const auto text : {""sv, "a\0b"sv, "\xc2\x80"sv, "\xdf\xbf"sv, "\xe0\xa0\x80"sv, "\xed\x9f\xbf"sv, "\xee\x80\x80"sv,
                            "\xf0\x90\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv}) {
        EXPECT_TRUE(is_utf8(text)) << in_json(text);
    }
}

TEST(Json, DetectsInvalidUtf8) {
    const std::string_view faults[] = {"\x80"sv,
                                       "\xc0\x80"sv,
                                       "\xc1\xbf"sv,
                                       "\xc2"sv,
                                       "\xe0\x9f\xbf"sv,
                                       "\xed\xa0\x80"sv,
                                       "\xe2\x82"sv,
                                       "\xf0\x8f\xbf\xbf"sv,
                                       "\xf4\x90\x80\x80"sv,
                                       "\xf5\x80\x80\x80"sv,
                                       "\xff"sv,
                                       "\xc2\x41"sv};
    for (std::size_t i = 0; i < std::size(faults); ++i) EXPECT_FALSE(is_utf8(faults[i])) << i;
}

TEST(Json, Arrays) {
    EXPECT_EQ(serialized(json_array({})), "[]");
    EXPECT_EQ(serialized(json_array({"a", "b\""})), R"(["a","b\""])");
}

std::string data_member(std::string_view data) {
    json::object object;
    object.insert(json_data(data));
    return serialized(object);
}

TEST(Json, DataIsTextOrBase64) {
    EXPECT_EQ(data_member(""), R"({"data":""})");
    EXPECT_EQ(data_member("a\nb"), R"({"data":"a\nb"})");
    EXPECT_EQ(data_member("\xff"), R"({"dataBase64":"/w=="})");
    EXPECT_EQ(data_member("\xff\xfe"), R"({"dataBase64":"//4="})");
    EXPECT_EQ(data_member("\xff\0\x10"sv), R"({"dataBase64":"/wAQ"})");
    EXPECT_EQ(data_member("\xff\0\x10\x41"sv), R"({"dataBase64":"/wAQQQ=="})");
}

TEST(Json, StatHasJavasNames) {
    EXPECT_EQ(serialized(json_stat(Stat{1, 2, 3, 4, 5, 6, 7, -8, 9, 10, 11})),
              R"({"czxid":1,"mzxid":2,"ctime":3,"mtime":4,"version":5,"cversion":6,"aversion":7,"ephemeralOwner":-8,)"
              R"("dataLength":9,"numChildren":10,"pzxid":11})");
}

} // namespace
} // namespace docent::cli
