// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include "cli/arguments/command_table.hpp"

#include "shell_output.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace docent::cli {
namespace {

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
