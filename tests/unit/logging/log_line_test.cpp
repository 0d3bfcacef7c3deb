// SPDX-License-Identifier: Apache-2.0
#include "logging/logging_tracer.hpp"

#include <gtest/gtest.h>

namespace docent::logging {
namespace {

std::string with(std::string_view value) {
    return LogLine().add("k", value).text();
}

TEST(LogLine, JoinsPairsWithASpace) {
    EXPECT_EQ(LogLine().add("path", "/a/b-_c.0").add("bytes", 12u).add("change", -3).text(),
              "path=/a/b-_c.0 bytes=12 change=-3");
}

TEST(LogLine, QuotesTextThatIsNotOneWord) {
    EXPECT_EQ(with(""), R"(k="")");
    EXPECT_EQ(with("two words"), R"(k="two words")");
    EXPECT_EQ(with("/a=b"), R"(k="/a=b")");
    EXPECT_EQ(with(R"(say "a\b")"), R"(k="say \"a\\b\"")");
}

TEST(LogLine, EscapesEverythingThatCouldEndALineOrReachATerminal) {
    EXPECT_EQ(with("/a\nlevel=info"), R"(k="/a\x0alevel=info")");
    EXPECT_EQ(with("\r\t\x1b[2J\x7f"), R"(k="\x0d\x09\x1b[2J\x7f")");
    EXPECT_EQ(with(std::string_view("\0", 1)), R"(k="\x00")");
    EXPECT_EQ(with("\xc3\xa9\xff"), R"(k="\xc3\xa9\xff")") << "separators and control characters hide beyond ASCII, too";
}

} // namespace
} // namespace docent::logging
