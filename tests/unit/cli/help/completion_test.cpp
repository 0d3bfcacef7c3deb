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

using Words = std::vector<std::string>;

/// A shell function in the place of timeout(1). It has no time limit, which a busy machine may exceed.
constexpr const char* timeout_without_limit = "timeout() { shift; \"$@\"; }\n";

/// The words that bash offers to complete the last of the typed words.
Words offered(const Words& typed) {
    std::string script = std::string(timeout_without_limit) + bash_completion() + "COMP_WORDS=(";
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
    std::ofstream(file) << "#!/bin/sh\ncase $* in 'ls /app --connect zk:1'|'ls / --connect=zk:1'|'ls /app --tls --connect "
                           "zk:1') ;; *) exit 1 ;; esac\n"
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
    EXPECT_EQ(offered({docent, "--tls", "get", "--connect", "zk:1", "/app/t"}), Words{"/app/two"})
        << "an option without a value";
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

using WordSet = std::set<std::string>;

// The startup file of zsh. With it, Tab writes the offered words into a file.
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

// A zsh script. It types each argument at a prompt, presses Tab, and prints the offered words and a line with a dot.
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

/// A zsh with docent's completion. Users put the file `_docent` into a folder of functions, or source it.
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
    write("docent", "#!/bin/sh\n[ \"$*\" = \"ls /app --tls --connect zk:1\" ] && printf 'one\\nonly\\ntwo\\n'\n");
    std::filesystem::permissions(folder / "docent", std::filesystem::perms::owner_all);
    write("sourced", std::string(timeout_without_limit) + "path=($ZDOTDIR $path)\n");
    EXPECT_EQ(offered("docent get --tls --connect zk:1 /app/on"), (WordSet{"/app/one", "/app/only"}));
}

} // namespace
} // namespace docent::cli
