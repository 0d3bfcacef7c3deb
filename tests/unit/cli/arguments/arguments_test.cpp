// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/arguments.hpp"

#include "cli/arguments/usage_error.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

using Words = std::vector<std::string>;

constexpr OptionSpec known[] = {{"--wait", OptionKind::with_value}, {"--json", OptionKind::flag}};

std::string fault_of(const Words& words) {
    try {
        scan_arguments(words, known);
    } catch (const UsageError& e) {
        return e.what();
    }
    return {};
}

TEST(Arguments, TellsOptionsFromTheRest) {
    const Words words{"/a", "--wait", "5s", "data", "--json", "-"};
    EXPECT_EQ(scan_arguments(words, known), (Arguments{{{"--wait", "5s"}, {"--json", ""}}, {"/a", "data", "-"}, {}}));
}

TEST(Arguments, TakesAValueAfterAnEqualsSign) {
    const Words words{"--wait=", "--wait=a=b"};
    EXPECT_EQ(scan_arguments(words, known).options, (std::vector<GivenOption>{{"--wait", ""}, {"--wait", "a=b"}}));
}

TEST(Arguments, LeavesEverythingAfterTwoDashesAlone) {
    const Words words{"/a", "--", "ls", "--unknown", "--", "-x"};
    EXPECT_EQ(scan_arguments(words, known), (Arguments{{}, {"/a"}, Words{"ls", "--unknown", "--", "-x"}}));
    EXPECT_EQ(scan_arguments(Words{"--"}, known).after_dashes, Words{});
    EXPECT_EQ(scan_arguments(Words{"/a"}, known).after_dashes, std::nullopt);
}

TEST(Arguments, AValueMayBeginWithADash) {
    EXPECT_EQ(scan_arguments(Words{"--wait", "-5"}, known).options, (std::vector<GivenOption>{{"--wait", "-5"}}));
}

TEST(Arguments, NamesTheOptionThatIsWrong) {
    EXPECT_EQ(fault_of({"--wiat", "5s"}), "unknown option --wiat");
    EXPECT_EQ(fault_of({"--wiat=5s"}), "unknown option --wiat");
    EXPECT_EQ(fault_of({"-5"}), "unknown option -5");
    EXPECT_EQ(fault_of({"--wait"}), "option --wait needs a value");
    EXPECT_EQ(fault_of({"--wait", "--", "ls"}), "option --wait needs a value");
    EXPECT_EQ(fault_of({"--json=yes"}), "option --json takes no value");
}

TEST(Arguments, CountsTheOptionsInFront) {
    EXPECT_EQ(count_leading_options(Words{"--wait", "5s", "--json", "ls", "--json"}, known), 3u);
    EXPECT_EQ(count_leading_options(Words{"ls"}, known), 0u);
    EXPECT_EQ(count_leading_options(Words{"--json", "--", "ls"}, known), 1u);
    EXPECT_EQ(count_leading_options(Words{}, known), 0u);
}

} // namespace
} // namespace docent::cli
