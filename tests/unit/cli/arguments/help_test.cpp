// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/help.hpp"

#include "cli/arguments/command_table.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

TEST(Help, NamesEveryCommandAndEachOfItsOptions) {
    const std::string overview = help_text("");
    for (const auto& entry : command_table()) {
        EXPECT_NE(overview.find("\n  " + std::string(entry.name) + " "), std::string::npos) << entry.name;
        const std::string own = help_text(entry.name);
        EXPECT_EQ(own.rfind("usage: docent " + std::string(entry.name), 0), 0u) << entry.name;
        for (const auto& option : entry.options) {
            EXPECT_NE(own.find(option.name), std::string::npos) << entry.name << ' ' << option.name;
        }
        EXPECT_EQ(own.find("--connect") != std::string::npos, entry.connects == Connects::yes) << entry.name;
        EXPECT_EQ(own.find("--json") != std::string::npos, entry.json == TakesJson::yes) << entry.name;
    }
}

} // namespace
} // namespace docent::cli
