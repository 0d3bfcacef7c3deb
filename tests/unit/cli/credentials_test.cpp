// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/argument_reader.hpp"

#include "cli/arguments/parse.hpp"
#include "folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace docent::cli {
namespace {

using std::filesystem::perms;

class CredentialsTest : public ::testing::Test {
protected:
    void write(const std::string& text, perms who = perms::owner_read | perms::owner_write) const {
        std::ofstream(name) << text;
        std::filesystem::permissions(name, who);
    }
    std::string fault() const {
        try {
            read_auth_file(name);
        } catch (const UsageError& e) {
            return e.what();
        }
        return "";
    }
    Connection connection(const std::vector<std::string>& words, const Environment& environment = {}) const {
        return std::get<LsCommand>(parse(words, environment)).connection;
    }

    const test::Folder folder;
    const std::string name = (folder / "auth").string();
};

TEST_F(CredentialsTest, AFileHasOneALine) {
    write("# of the team\ndigest:user:pass word#1\n\nip:1.2.3.4\r\n");
    EXPECT_EQ(read_auth_file(name), (std::vector<AuthInfo>{{"digest", "user:pass word#1"}, {"ip", "1.2.3.4"}}));
}

TEST_F(CredentialsTest, AMistakeInAFileIsReportedWithoutItsText) {
    EXPECT_EQ(fault(), "auth file " + name + ": cannot be read: No such file or directory");
    write("digest:user:x\nhunter2\n");
    EXPECT_EQ(fault(), "auth file " + name + ": line 2 is not SCHEME:CREDENTIALS, such as digest:user:password");
    write("# nothing\n");
    EXPECT_EQ(fault(), "auth file " + name + ": there are no credentials in it");
}

TEST_F(CredentialsTest, AWorldReadableFileIsWarnedOf) {
    write("x", perms::owner_read | perms::group_read);
    EXPECT_EQ(warning_about(name), "");
    write("x", perms::owner_read | perms::owner_write | perms::others_read);
    EXPECT_NE(warning_about(name).find(name), std::string::npos);
    EXPECT_EQ(warning_about("/dev/null"), "") << "no file: a pipe, say, of a shell's <(...)";
}

TEST_F(CredentialsTest, FilesAndWordsAddUp) {
    write("digest:file:1\n");
    const std::vector<AuthInfo> both{{"digest", "typed:2"}, {"digest", "file:1"}};
    EXPECT_EQ(connection({"ls", "/", "--auth-file", name, "--auth", "digest:typed:2"}).auth, both);
    EXPECT_EQ(connection({"ls", "/", "--auth", "digest:typed:2"}, {{"DOCENT_AUTH_FILE", name}}).auth, both);
    EXPECT_TRUE(connection({"ls", "/", "--auth-file", name}).warnings.empty());
    write("digest:file:1\n", perms::owner_all | perms::others_read);
    EXPECT_EQ(connection({"ls", "/", "--auth-file", name}).warnings.size(), 1u);
}

TEST_F(CredentialsTest, ConfigFilesWithThemAreWarnedOfToo) {
    write("connect = zk:1\n", perms::owner_read | perms::others_read);
    EXPECT_TRUE(connection({"ls", "/", "--config", name}).warnings.empty()) << "there is nothing secret in it";
    write("", perms::owner_all);
    write("auth = digest:u:p\n", perms::owner_read | perms::others_read);
    EXPECT_EQ(connection({"ls", "/", "--config", name}).warnings.size(), 1u);
}

std::vector<std::string> hidden(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    hide_credentials(static_cast<int>(arguments.size()), arguments.data());
    return words;
}

TEST(HideCredentials, WhereverTheyAreTyped) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(hidden({"docent", "--auth", "digest:u:p", "ls", "/"}), (Words{"docent", "--auth", "xxxxxxxxxx", "ls", "/"}));
    EXPECT_EQ(hidden({"docent", "ls", "/", "--auth=digest:u:p"}), (Words{"docent", "ls", "/", "--auth=xxxxxxxxxx"}));
    EXPECT_EQ(hidden({"docent", "ls", "--auth-file", "name", "--auth"}),
              (Words{"docent", "ls", "--auth-file", "name", "--auth"}));
    EXPECT_EQ(hidden({"docent", "lock", "/a", "--", "cmd", "--auth", "theirs"}),
              (Words{"docent", "lock", "/a", "--", "cmd", "--auth", "theirs"}));
    EXPECT_EQ(hidden({"docent", "lock", "/a", "--auth", "--", "cmd"}), (Words{"docent", "lock", "/a", "--auth", "--", "cmd"}));
}

} // namespace
} // namespace docent::cli
