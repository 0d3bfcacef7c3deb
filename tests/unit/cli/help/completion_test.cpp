// SPDX-License-Identifier: Apache-2.0
#include "cli/help/completion.hpp"

#include "cli/arguments/command_table.hpp"

#include "shell_output.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace docent::cli {
namespace {

using Words = std::vector<std::string>;

/// What bash offers for the last of these words.
Words offered(const Words& typed) {
    std::string script = bash_completion() + "COMP_WORDS=(";
    for (const auto& word : typed) script += shell_word(word) + " ";
    script += ")\nCOMP_CWORD=" + std::to_string(typed.size() - 1) + "\n_docent\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    std::istringstream lines(shell_output("bash --norc --noprofile -c " + shell_word(script)));
    Words result;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) result.push_back(line);
    }
    return result;
}

bool has(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(Completion, OfACommandsBeginning) {
    EXPECT_EQ(offered({"docent", "lo"}), Words{"lock"});
    EXPECT_EQ(offered({"docent", "--connect", "zk:1", "lo"}), Words{"lock"});
    EXPECT_EQ(offered({"docent", "s"}), (Words{"semaphore", "set", "stat", "server"}));
    EXPECT_EQ(offered({"docent", "help", "read"}), Words{"read-lock"});
    EXPECT_EQ(offered({"docent", "completion", ""}), (Words{"bash", "zsh"}));
}

TEST(Completion, BashOffersEveryOption) {
    const Words commands = offered({"docent", ""});
    const Words leading = offered({"docent", "-"});
    for (const auto& option : leading_options()) EXPECT_TRUE(has(leading, option.name)) << option.name;
    for (const auto& entry : command_table()) {
        EXPECT_TRUE(has(commands, entry.name)) << entry.name;
        const Words options = offered({"docent", std::string(entry.name), "-"});
        for (const auto& option : options_of(entry)) {
            EXPECT_TRUE(has(options, option.name)) << entry.name << ' ' << option.name;
            EXPECT_TRUE(option.short_name.empty() || has(options, option.short_name)) << entry.name << ' ' << option.name;
        }
    }
}

TEST(Completion, OffersNothingForAValueThatItCannotKnow) {
    EXPECT_EQ(offered({"docent", "lock", "--wait", ""}), Words{});
    EXPECT_EQ(offered({"docent", "--connect", "l"}), Words{});
    EXPECT_EQ(offered({"docent", "get", ""}), Words{});
}

TEST(Completion, OffersFilesAndFoldersWhereTheyAreTheValue) {
    EXPECT_EQ(offered({"docent", "tx", "-f", "/et"}), Words{"/etc"});
    EXPECT_EQ(offered({"docent", "server", "--data", "/et"}), Words{"/etc"});
    EXPECT_EQ(offered({"docent", "ls", "--config", "/etc/passw"}).front().rfind("/etc/passw", 0), 0u);
}

TEST(Completion, OffersProgramsBehindTwoDashes) {
    EXPECT_TRUE(has(offered({"docent", "lock", "/a", "--", "tru"}), "true"));
}

TEST(Completion, ZshOffersEveryOption) {
    const std::string script = zsh_completion();
    EXPECT_EQ(script.find('@'), script.find("@\"; else")) << "a place that was not filled in";
    for (const auto& entry : command_table()) {
        const auto begin = script.find("\n    " + std::string(entry.name) + ") options='");
        ASSERT_NE(begin, std::string::npos) << entry.name;
        const auto line = script.substr(begin + 1, script.find('\n', begin + 1) - begin);
        for (const auto& option : options_of(entry)) {
            EXPECT_NE(line.find(option.name), std::string::npos) << entry.name << ' ' << option.name;
        }
    }
}

} // namespace
} // namespace docent::cli
