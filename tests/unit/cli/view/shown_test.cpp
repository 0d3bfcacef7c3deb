// SPDX-License-Identifier: Apache-2.0
#include "cli/view/shown.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto utf8 = Charset::utf8;

TEST(Shown, NothingThatATerminalWouldObey) {
    EXPECT_EQ(shown("\x1b[2J\x1b]0;title\x07 ann\n\t\x7f", utf8), "?[2J?]0;title? ann???");
    EXPECT_EQ(shown("\xc2\x9b"
                    "31m",
                    utf8),
              "?31m")
        << "C1 begins a sequence, too";
    EXPECT_EQ(shown("\xe2\x80\xae"
                    "drowssap",
                    utf8),
              "?drowssap")
        << "right to left";
    EXPECT_EQ(shown("\xff"
                    "a\xc3",
                    utf8),
              "?a?")
        << "no UTF-8";
    EXPECT_EQ(shown(std::string("a\0b", 3), utf8), "a?b");
}

TEST(Shown, LettersOfAnyLanguageWhereTheyCanBeShown) {
    EXPECT_EQ(shown("J\xc3\xbcrgen \xe6\x97\xa5\xe6\x9c\xac", utf8), "J\xc3\xbcrgen \xe6\x97\xa5\xe6\x9c\xac");
    EXPECT_EQ(shown("J\xc3\xbcrgen", Charset::ascii), "J?rgen");
}

TEST(Columns, AreCountedAsATerminalDraws) {
    EXPECT_EQ(columns_of("ann"), 3U);
    EXPECT_EQ(columns_of("J\xc3\xbcrgen"), 6U);
    EXPECT_EQ(columns_of("\xe6\x97\xa5\xe6\x9c\xac"), 4U) << "two to a letter";
    EXPECT_EQ(columns_of("e\xcc\x81"), 1U) << "a mark takes none";
}

TEST(Columns, LongTextsAreCutAndSaySo) {
    EXPECT_EQ(cut("import.sh", 9, utf8), "import.sh");
    EXPECT_EQ(cut("import.sh", 4, utf8), "imp\xe2\x80\xa6");
    EXPECT_EQ(cut("import.sh", 4, Charset::ascii), "imp~");
    EXPECT_EQ(cut("\xe6\x97\xa5\xe6\x9c\xac", 3, utf8), "\xe6\x97\xa5\xe2\x80\xa6");
    EXPECT_EQ(cut("\xe6\x97\xa5\xe6\x9c\xac", 2, utf8), "\xe2\x80\xa6") << "no half letters";
    EXPECT_EQ(cut("import.sh", 0, utf8), "");
    EXPECT_EQ(left_aligned("a", 3) + right_aligned("b", 3), "a    b");
    EXPECT_EQ(left_aligned("abcd", 3), "abcd");
}

TEST(Age, IsShort) {
    EXPECT_EQ(short_age(-5s), "0s");
    EXPECT_EQ(short_age(59'999ms), "59s");
    EXPECT_EQ(short_age(4min + 7s), "4m07s");
    EXPECT_EQ(short_age(2h + 5min), "2h05m");
    EXPECT_EQ(short_age(76h), "3d04h");
    EXPECT_EQ(short_age(9'600h), "400d");
}

TEST(Age, IsNothingWhereClocksDisagree) {
    const std::chrono::system_clock::time_point now{100s};
    EXPECT_EQ(age_at(now, 40'000), 60s);
    EXPECT_EQ(age_at(now, 200'000), 0s);
    EXPECT_EQ(age_at(now, std::numeric_limits<long long>::min()), 100s) << "whatever a server says";
    EXPECT_EQ(age_at(now, std::numeric_limits<long long>::max()), 0s);
}

TEST(CutInFront, KeepsTheEnd) {
    EXPECT_EQ(cut_in_front("/app/import", 20, Charset::ascii), "/app/import");
    EXPECT_EQ(cut_in_front("/app/import", 7, Charset::ascii), "~import");
    EXPECT_EQ(cut_in_front("/app/import", 1, Charset::ascii), "~");
    EXPECT_EQ(cut_in_front("/app/import", 0, Charset::ascii), "");
    EXPECT_EQ(cut_in_front("\xe6\x97\xa5\xe6\x9c\xac", 3, Charset::utf8), "\xe2\x80\xa6\xe6\x9c\xac") << "wide ones take two";
}

TEST(ShownLabel, SaysWhatStandsInItsPlace) {
    EXPECT_EQ(shown_label("ann", Charset::ascii), "ann");
    EXPECT_EQ(shown_label("", Charset::ascii), "-");
    EXPECT_EQ(shown_label("__REVOKE__", Charset::utf8), "(asked to give it up)");
    EXPECT_EQ(shown_label("__REVOKE__\nann", Charset::utf8), "(asked to give it up) ann");
    EXPECT_EQ(shown_label("__REVOKE__ ann", Charset::utf8), "__REVOKE__ ann");
    EXPECT_EQ(shown_label("a\x1b", Charset::utf8), "a?");
}

} // namespace
} // namespace docent::cli
