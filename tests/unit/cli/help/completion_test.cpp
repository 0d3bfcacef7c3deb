// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include "cli/arguments/command_table.hpp"

#include "folder.hpp"
#include "shell_output.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace docent::cli {
namespace {

using Words = std::vector<std::string>;

/// The words that bash offers to complete the last of the typed words.
Words offered(const Words& typed) {
    std::string script = bash_completion() + "COMP_WORDS=(";
    for (const auto& word : typed) script += shell_word(word) + " ";
    script += ")\nCOMP_LINE=\"${COMP_WORDS[*]}\"\nCOMP_POINT=${#COMP_LINE}\nCOMP_CWORD=" + std::to_string(typed.size() - 1) +
              "\n_docent\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
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
    EXPECT_EQ(offered({"docent", "s"}), (Words{"semaphore", "set", "set-acl", "stat", "server"}));
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

/// A stand-in for docent with the nodes /app/one, /app/only and /app/two. It prints nothing unless it is given the right
/// servers.
std::string stub(const test::Folder& folder) {
    const auto file = (folder / "docent").string();
    std::ofstream(file)
        << "#!/bin/sh\n[ \"$*\" = \"ls /app --connect zk:1\" ] || [ \"$*\" = \"ls / --connect=zk:1\" ] || exit 1\n"
           "[ \"$2\" = / ] && echo app || printf 'one\\nonly\\ntwo\\n'\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
}

TEST(Completion, OffersNodesForAPath) {
    const test::Folder folder;
    const std::string docent = stub(folder);
    EXPECT_EQ(offered({docent, "get", "--connect", "zk:1", "/app/on"}), (Words{"/app/one", "/app/only"}));
    EXPECT_EQ(offered({docent, "--connect=zk:1", "lock", "/"}), Words{"/app"});
    EXPECT_EQ(offered({docent, "--connect", "zk:1", "break", "/app/t"}), Words{"/app/two"});
    EXPECT_EQ(offered({docent, "get", "/app/t"}), Words{}) << "the servers do not answer";
    EXPECT_EQ(offered({docent, "--connect", "zk:1", "server", "/app/"}), Words{}) << "this command takes no node";
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
