// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include "cli/arguments/command_table.hpp"

#include "shell_output.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace docent::cli {
namespace {

TEST(CommandTable, SaysSomethingOfEverything) {
    std::set<std::string_view> names;
    for (const auto& entry : command_table()) {
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
        EXPECT_FALSE(entry.summary.empty() || entry.description.empty()) << entry.name;
        std::set<std::string_view> options;
        for (const auto& option : options_of(entry)) {
            EXPECT_TRUE(option.name.starts_with("--")) << option.name;
            EXPECT_TRUE(options.insert(option.name).second) << entry.name << ' ' << option.name;
            EXPECT_FALSE(option.help.empty()) << entry.name << ' ' << option.name;
        }
    }
}

TEST(CommandTable, AnAlternativeIsTheNextOption) { // the help shows both alternatives together
    for (const auto& entry : command_table()) {
        for (std::size_t i = 0; i < entry.options.size(); ++i) {
            if (entry.options[i].alternative.empty()) continue;
            ASSERT_LT(i + 1, entry.options.size()) << entry.name;
            EXPECT_EQ(entry.options[i].alternative, entry.options[i + 1].name) << entry.name;
        }
    }
}

TEST(Help, NamesEveryCommandAndEachOfItsOptions) {
    const std::string overview = help_text("");
    const std::string about_all = help_text(options_topic);
    for (const auto& option : leading_options()) {
        EXPECT_NE(about_all.find(option.name), std::string::npos) << option.name;
        if (option.environment.empty()) continue;
        EXPECT_NE(about_all.find("$" + std::string(option.environment)), std::string::npos) << option.name;
    }
    for (const auto& entry : command_table()) {
        const std::string name(entry.name);
        const auto begins = [&](const std::string& before) {
            return overview.find(before + name + " ") != std::string::npos ||
                   overview.find(before + name + ",") != std::string::npos;
        };
        EXPECT_TRUE(begins("\n  ") || begins(", ")) << entry.name;
        const std::string own = help_text(entry.name);
        EXPECT_EQ(own.rfind("usage: docent " + std::string(entry.name), 0), 0u) << entry.name;
        for (const auto& option : options_of(entry)) {
            EXPECT_NE(own.find(option.name), std::string::npos) << entry.name << ' ' << option.name;
        }
        EXPECT_EQ(own.find("--connect") != std::string::npos, entry.connects) << entry.name;
        EXPECT_EQ(own.find("--json") != std::string::npos, entry.json) << entry.name;
    }
}

TEST(Help, CommonOptionsAreTheLastParagraphOfACommand) {
    for (const auto& entry : command_table()) {
        const std::string own = help_text(entry.name);
        const auto at = own.find("Common options (docent help options): --connect, --session-timeout, ");
        EXPECT_EQ(at != std::string::npos, entry.connects) << entry.name;
        EXPECT_TRUE(at == std::string::npos || own.find("\n\n", at) == std::string::npos) << own;
        EXPECT_TRUE(own.ends_with('\n') && !own.ends_with("\n\n")) << own;
    }
}

TEST(Help, TheOverviewFitsASmallScreen) {
    std::istringstream lines(help_text(""));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_LE(count, 24);
}

TEST(Help, ExamplesComeFirst) {
    EXPECT_LT(help_text("").find("docent lock /"), help_text("").find("\n  lock "));
    const std::string of_lock = help_text("lock");
    EXPECT_LT(of_lock.find("Example:"), of_lock.find("\n  -w, --wait"));
}

TEST(Help, FitsATerminal) {
    for (const std::string& text :
         {help_text(""), help_text(options_topic), help_text("lock"), help_text("semaphore"), help_text("tx")}) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), page_width) << line;
    }
}

TEST(Help, ShowsWhichOptionsAreAlternatives) {
    EXPECT_EQ(help_text("read-lock").rfind("usage: docent read-lock PATH... [", 0), 0u);
    EXPECT_NE(help_text("read-lock").find("] [-w TIME | -n] [-E CODE] "), std::string::npos);
    EXPECT_EQ(help_text("tx").rfind("usage: docent tx [-f FILE] [--json]\n", 0), 0u);
}

using Lines = std::vector<std::string>;

TEST(Layout, TellsRunningTextFromLinesThatStayAsTheyAre) {
    EXPECT_EQ(paragraphs_of("one\ntwo\n\n  a   b\n  c\n\nthree"),
              (std::vector<Paragraph>{{false, "one two"}, {true, "  a   b\n  c"}, {false, "three"}}));
    EXPECT_EQ(paragraphs_of(""), std::vector<Paragraph>{});
}

TEST(Layout, WrapsBetweenWords) {
    EXPECT_EQ(wrap("one two three", 7), (Lines{"one two", "three"}));
    EXPECT_EQ(wrap("unbreakable it is", 5), (Lines{"unbreakable", "it is"}));
    EXPECT_EQ(wrap("", 5), Lines{});
}

TEST(Layout, ColumnsAreAsWideAsTheirTextUpToALimit) {
    EXPECT_EQ(as_columns({{"a", "one"}, {"bcd", "two"}, {"too long", "three"}}, 4),
              "  a     one\n  bcd   two\n  too long\n        three\n");
}

std::string in_roff(std::string_view text) {
    std::string result;
    for (const char c : text) result += c == '-' ? std::string("\\-") : std::string(1, c);
    return result;
}

TEST(ManPage, NamesEveryCommandAndEachOfItsOptions) {
    const std::string page = man_page("1.2.3");
    for (const auto& option : leading_options()) EXPECT_NE(page.find(in_roff(option.name)), std::string::npos) << option.name;
    for (const auto& entry : command_table()) {
        const auto begin = page.find("\n.SS " + in_roff(entry.name) + "\n");
        ASSERT_NE(begin, std::string::npos) << entry.name;
        const auto section = page.substr(begin, page.find("\n.S", begin + 4) - begin);
        for (const auto& option : entry.options) {
            EXPECT_NE(section.find(".TP\n\\fB" + in_roff(option.short_name)), std::string::npos) << entry.name;
            EXPECT_NE(section.find(in_roff(option.name)), std::string::npos) << entry.name << ' ' << option.name;
        }
    }
    for (const auto& status : exit_status_table) {
        EXPECT_NE(page.find("\\fB" + std::to_string(status.code) + "\\fR"), std::string::npos) << status.code;
    }
}

TEST(ManPage, NoLineOfTextIsTakenForARequest) {
    std::istringstream lines(man_page("1.2.3"));
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('.')) continue;
        const auto name = line.substr(0, line.find(' '));
        EXPECT_NE(std::string(" .TH .SH .SS .PP .TP .nf .fi ").find(" " + name + " "), std::string::npos) << line;
    }
}

TEST(ManPage, GroffHasNothingToSayAboutIt) {
    if (shell_output("command -v groff").empty()) GTEST_SKIP() << "there is no groff";
    EXPECT_EQ(shell_output("printf %s " + shell_word(man_page("1.2.3")) + " | groff -man -ww -z -Tascii"), "");
}

} // namespace
} // namespace docent::cli
