// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include "cli/arguments/command_table.hpp"

#include "folder.hpp"
#include "shell_output.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace docent::cli {
namespace {

using WordSet = std::set<std::string>;

// Tab writes the offered words into a file.
constexpr const char* zshrc = R"(PS1=
fpath=($ZDOTDIR/functions $fpath)
autoload -Uz compinit
compinit -D -u
[[ ! -e $ZDOTDIR/sourced ]] || . $ZDOTDIR/sourced
compadd() { local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >>$ZDOTDIR/offered }
offer() { : >$ZDOTDIR/offered; _main_complete; print done }
zle -C offer complete-word offer
bindkey '^I' offer
zle-line-init() { print done }
zle -N zle-line-init
)";

// Types each argument at a prompt, presses Tab, and prints the offered words and a line with a dot.
constexpr const char* typist = R"(zmodload zsh/zpty
zpty shell zsh -d -i
zpty -r shell ignored '*done*'
for line in "$@"; do
    zpty -w -n shell $line$'\t'
    zpty -r shell ignored '*done*'
    cat $ZDOTDIR/offered
    print .
    zpty -w -n shell $'\C-u'
done
)";

/// A zsh with docent's completion. Users put the file into a folder of functions under this name, or source it.
class ZshCompletion : public ::testing::Test {
protected:
    void SetUp() override {
        if (shell_output("command -v zsh").empty()) GTEST_SKIP() << "there is no zsh";
        std::filesystem::create_directory(folder / "functions");
        write(".zshrc", zshrc);
        write("typist", typist);
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }

    /// The words that zsh offers to complete the last word of each line.
    std::vector<WordSet> offered(const std::vector<std::string>& lines) const {
        const auto path = shell_word(folder.path().string());
        std::string command = "TERM=dumb ZDOTDIR=" + path + " zsh -f " + path + "/typist";
        for (const auto& line : lines) command += ' ' + shell_word(line);
        std::istringstream answers(shell_output(command));
        std::vector<WordSet> result(1);
        for (std::string line; std::getline(answers, line);) {
            if (line == ".") result.emplace_back();
            else if (!line.empty()) result.back().insert(line);
        }
        EXPECT_EQ(result.back(), WordSet{}) << "it says more";
        result.pop_back();
        EXPECT_EQ(result.size(), lines.size());
        result.resize(lines.size());
        return result;
    }
    WordSet offered(const std::string& line) const { return offered(std::vector{line}).front(); }

    test::Folder folder;
};

TEST_F(ZshCompletion, IsFoundAmongTheFunctions) {
    write("functions/_docent", zsh_completion());
    EXPECT_EQ(offered("docent lo"), WordSet{"lock"});
}

TEST_F(ZshCompletion, CanBeSourced) {
    write("sourced", zsh_completion());
    EXPECT_EQ(offered("docent lo"), WordSet{"lock"});
}

TEST_F(ZshCompletion, OffersEveryCommandAndOption) {
    write("functions/_docent", zsh_completion());
    std::vector<std::string> lines{"docent ", "docent -"};
    for (const auto& entry : command_table()) lines.push_back("docent " + std::string(entry.name) + " -");
    const auto offers = offered(lines);
    for (const auto& option : leading_options()) EXPECT_TRUE(offers[1].contains(std::string(option.name))) << option.name;
    auto options = offers.begin() + 2;
    for (const auto& entry : command_table()) {
        EXPECT_TRUE(offers[0].contains(std::string(entry.name))) << entry.name;
        for (const auto& option : options_of(entry)) {
            EXPECT_TRUE(options->contains(std::string(option.name))) << entry.name << ' ' << option.name;
            EXPECT_TRUE(option.short_name.empty() || options->contains(std::string(option.short_name))) << option.short_name;
        }
        ++options;
    }
}

TEST_F(ZshCompletion, OffersFittingWords) {
    write("functions/_docent", zsh_completion());
    const auto offers = offered({"docent --connect zk:1 lo", "docent help read", "docent completion ", "docent lock --wait ",
                                 "docent get ", "docent tx -f /et", "docent server --data /et", "docent lock /a -- tru"});
    EXPECT_EQ(offers[0], WordSet{"lock"});
    EXPECT_EQ(offers[1], WordSet{"read-lock"});
    EXPECT_EQ(offers[2], (WordSet{"bash", "zsh"}));
    EXPECT_EQ(offers[3], WordSet{}) << "a value that it cannot know";
    EXPECT_EQ(offers[4], WordSet{});
    EXPECT_TRUE(offers[5].contains("etc"));
    EXPECT_TRUE(offers[6].contains("etc"));
    EXPECT_TRUE(offers[7].contains("true")) << "a program";
}

TEST_F(ZshCompletion, OffersNodesForAPath) {
    write("functions/_docent", zsh_completion());
    write("docent", "#!/bin/sh\n[ \"$*\" = \"ls /app --connect zk:1\" ] && printf 'one\\nonly\\ntwo\\n'\n");
    std::filesystem::permissions(folder / "docent", std::filesystem::perms::owner_all);
    write("sourced", "path=($ZDOTDIR $path)\n");
    EXPECT_EQ(offered("docent get --connect zk:1 /app/on"), (WordSet{"/app/one", "/app/only"}));
}

} // namespace
} // namespace docent::cli
