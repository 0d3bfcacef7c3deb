// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/parse.hpp"

#include "cli/arguments/command_table.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

using Words = std::vector<std::string>;

Arguments scanned(const Words& words) {
    return scan_command_line(words).arguments;
}

Words values_of(const Words& words, const std::string& option) {
    const auto options = scanned(words).options;
    const auto found = options.find(option);
    return found == options.end() ? Words{} : found->second.values;
}

std::string fault_of_line(const Words& words) {
    try {
        scan_command_line(words);
    } catch (const UsageError& e) {
        return e.what();
    }
    return {};
}

TEST(CommandLine, TellsOptionsFromTheRest) {
    EXPECT_EQ(scanned({"set", "/a", "--version", "5", "--json", "-"}),
              (Arguments{{{"--version", {{"5"}, "--version"}}, {"--json", {{"true"}, "--json"}}}, {"/a", "-"}, {}}));
    EXPECT_EQ(scanned({"create", "get", "ls"}).positionals, (Words{"get", "ls"})) << "names of commands are words like others";
    EXPECT_EQ(scanned({"set", "", "[1,2]"}).positionals, (Words{"", "[1,2]"}));
}

TEST(CommandLine, TakesAValueAfterAnEqualsSign) {
    EXPECT_EQ(values_of({"lock", "--wait=", "--wait=a=b", "/a"}, "--wait"), (Words{"", "a=b"}));
    EXPECT_EQ(scanned({"lock", "--wait=", "/a"}).positionals, Words{"/a"});
    EXPECT_EQ(values_of({"--connect=[::1]", "ls", "--connect", "[a]"}, "--connect"), (Words{"[::1]", "[a]"}));
}

TEST(CommandLine, AShortOptionIsTheSameAsItsLongOne) {
    for (const Words& words : {Words{"tx", "-f", "x"}, {"tx", "-fx"}, {"tx", "--file", "x"}, {"tx", "--file=x"}}) {
        EXPECT_EQ(values_of(words, "--file"), Words{"x"});
    }
}

TEST(CommandLine, LeavesEverythingAfterTwoDashesAlone) {
    EXPECT_EQ(scanned({"lock", "/a", "--", "ls", "--unknown", "--", "-x", "++"}),
              (Arguments{{}, {"/a"}, Words{"ls", "--unknown", "--", "-x", "++"}}));
    EXPECT_EQ(scanned({"lock", "--"}).after_dashes, Words{});
    EXPECT_EQ(scanned({"lock", "/a"}).after_dashes, std::nullopt);
}

TEST(CommandLine, AValueMayBeginWithADash) {
    EXPECT_EQ(values_of({"lock", "--wait", "-5", "/a"}, "--wait"), Words{"-5"});
    EXPECT_EQ(values_of({"lock", "--wait", "--json", "/a"}, "--wait"), Words{"--json"});
}

TEST(CommandLine, NamesTheOptionThatIsWrong) {
    const std::string see = " (see: docent ls --help)";
    EXPECT_EQ(fault_of_line({"ls", "--wiat", "5s"}), "ls: unknown option --wiat" + see);
    EXPECT_EQ(fault_of_line({"ls", "/a", "--wiat=5s"}), "ls: unknown option --wiat" + see);
    EXPECT_EQ(fault_of_line({"ls", "-5"}), "ls: unknown option -5" + see);
    EXPECT_EQ(fault_of_line({"ls", "-x"}), "ls: unknown option -x" + see);
    EXPECT_EQ(fault_of_line({"ls", "--connect"}), "ls: option --connect needs a value" + see);
    EXPECT_EQ(fault_of_line({"ls", "--connect", "--", "ls"}), "ls: option --connect needs a value" + see);
    EXPECT_EQ(fault_of_line({"--connect"}), "option --connect needs a value");
    EXPECT_EQ(fault_of_line({"ls", "--json=yes"}), "ls: option --json takes no value" + see);
    EXPECT_EQ(fault_of_line({"--json=yes", "ls"}), "option --json takes no value");
    EXPECT_EQ(fault_of_line({"ls", "/a", "++"}), "unexpected argument '++' (a word of two plus signs goes behind --)");
}

TEST(CommandLine, FindsTheCommandBehindLeadingOptions) {
    const auto line = scan_command_line(Words{"--connect", "h", "--json", "ls", "--json", "/a"});
    ASSERT_NE(line.command, nullptr);
    EXPECT_EQ(line.command->name, "ls");
    EXPECT_EQ(line.leading, (Options{{"--connect", {{"h"}, "--connect"}}, {"--json", {{"true"}, "--json"}}}));
    EXPECT_EQ(line.arguments.positionals, Words{"/a"});
    EXPECT_EQ(scan_command_line(Words{"--json", "--", "ls"}).command, nullptr);
    EXPECT_EQ(scan_command_line(Words{}).command, nullptr);
}

} // namespace
} // namespace docent::cli
