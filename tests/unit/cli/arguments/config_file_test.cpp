// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/parse.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

class ConfigFile : public ::testing::Test {
protected:
    ~ConfigFile() override { std::filesystem::remove(name); }

    void write(const std::string& text) const {
        std::ofstream(name) << text;
        std::filesystem::permissions(name, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }

    template <typename Expected> Expected parsed(const Words& words, const Environment& environment = {}) const {
        return std::get<Expected>(parse(words, environment));
    }
    /// The mistake in the config file `file`.
    static std::string fault_in(const std::string& file) {
        try {
            parse(Words{"ls", "/", "--config", file}, {});
        } catch (const UsageError& e) {
            return e.what();
        }
        return "";
    }
    std::string fault_of(const std::string& text) const {
        write(text);
        return fault_in(name);
    }

    const std::string name =
        (std::filesystem::temp_directory_path() / ("docent-config-test-" + std::to_string(::getpid()))).string();
};

TEST_F(ConfigFile, FillsOptionsThatAreNotTyped) {
    write("# servers\nconnect = zk1:1,[::1]:2/app\nsession-timeout=4s\njson = true\n\nauth = digest:user:p#w, [x]\n; "
          "more\nauth=ip:1\n");
    const LsCommand expected{.connection = {.connect_string = "zk1:1,[::1]:2/app",
                                            .session_timeout = 4s,
                                            .auth = {{"digest", "user:p#w, [x]"}, {"ip", "1"}}},
                             .format = OutputFormat::json,
                             .path = "/a"};
    EXPECT_EQ(parsed<LsCommand>({"ls", "/a", "--config", name}), expected);
    EXPECT_EQ(parsed<LsCommand>({"--config", name, "ls", "/a"}), expected);
    EXPECT_EQ(parsed<LsCommand>({"ls", "/a"}, {{"DOCENT_CONFIG", name}}), expected);
    EXPECT_EQ(parsed<LsCommand>({"ls", "/a", "--config", name}, {{"DOCENT_CONFIG", "/none"}}), expected);
    EXPECT_EQ(parsed<DeleteCommand>({"delete", "/a", "--config", name}).path, "/a") << "which prints no JSON";
}

TEST_F(ConfigFile, TheCommandLineComesFirstThenTheEnvironmentThenTheFile) {
    write("connect = file:1\nnamespace = file\nauth = digest:file:\n");
    const Environment environment{{"DOCENT_CONFIG", name},
                                  {"DOCENT_CONNECT", "environment:1"},
                                  {"DOCENT_SESSION_TIMEOUT", "7s"},
                                  {"DOCENT_NAMESPACE", "environment"},
                                  {"DOCENT_AUTH", "digest:environment:"}};
    const Connection expected{
        .connect_string = "typed:1", .session_timeout = 7s, .name_space = "environment", .auth = {{"digest", "environment:"}}};
    EXPECT_EQ(parsed<LsCommand>({"ls", "/", "--connect", "typed:1"}, environment).connection, expected);
    EXPECT_EQ(parsed<LsCommand>({"--connect", "typed:1", "ls", "/"}, environment).connection, expected);
    EXPECT_EQ(parsed<LsCommand>({"ls", "/"}, {{"DOCENT_CONFIG", name}}).connection,
              (Connection{.connect_string = "file:1", .name_space = "file", .auth = {{"digest", "file:"}}}));
}

TEST_F(ConfigFile, HasASectionForACommand) {
    write("connect = zk:1\njson = true\n[lock]\nconnect = zk:2\nwait = 5m\nrevocable = true\n[ls]\njson = false\n");
    const auto lock = parsed<LockCommand>({"lock", "/a", "--config", name, "--", "true"}).hold;
    EXPECT_EQ(lock.connection.connect_string, "zk:2");
    EXPECT_EQ(lock.wait, QueueTime{AtMostInQueue{5min}});
    EXPECT_TRUE(lock.revocable);
    EXPECT_EQ(parsed<LockCommand>({"lock", "/a", "--config", name, "--no-wait", "--", "true"}).hold.wait, QueueTime{NoQueue{}});
    const auto ls = parsed<LsCommand>({"ls", "/a", "--config", name});
    EXPECT_EQ(ls.connection.connect_string, "zk:1");
    EXPECT_EQ(ls.format, OutputFormat::text);
}

TEST_F(ConfigFile, NamesTheMistake) {
    const std::string file = "config file " + name + ": ";
    const std::string see = " (see: docent ls --help)";
    const std::string known = ", but connect, session-timeout, namespace, auth, auth-file, json";
    EXPECT_EQ(fault_of("conect = a"), file + "there is no option conect" + known);
    EXPECT_EQ(fault_of("wait = 5s"), file + "the option wait stands below a command that takes it: [lock], [read-lock], "
                                            "[write-lock], [semaphore]");
    EXPECT_EQ(fault_of("help = true"), file + "there is no option help" + known);
    EXPECT_EQ(fault_of("version = true").find(file + "the option version stands below a command that takes it: ["), 0U);
    EXPECT_EQ(fault_of("config = other"), file + "there is no option config" + known);
    const auto in_lock = fault_of("[lock]\npermits = 3");
    EXPECT_EQ(in_lock.find(file + "there is no option permits in [lock], but once-per, kazoo, wait, "), 0U) << in_lock;
    EXPECT_EQ(fault_of("[lokc]\nwait = 3s"), file + "[lokc] is not a command that talks to ZooKeeper");
    EXPECT_EQ(fault_of("[demo]\njson = true"), file + "[demo] is not a command that talks to ZooKeeper");
    EXPECT_EQ(fault_of("json = yes"), file + "json is true or false");
    EXPECT_EQ(fault_of("session-timeout = 5x"), "ls: '5x' is not a duration for session-timeout in " + name +
                                                    ", such as 5 (seconds), 500ms, 2m, 12h or 7d" + see);
    std::filesystem::remove(name);
    EXPECT_EQ(fault_in(name), file + "cannot be read: No such file or directory");
    EXPECT_EQ(fault_in("/"), "config file /: cannot be read: Is a directory");
}

TEST_F(ConfigFile, QuotesAndCommentsBehindValuesAreRefused) {
    const std::string line = "config file " + name + ": line 2 ";
    EXPECT_EQ(fault_of("\nconnect = \"zk:1\""), line + "has quotes around its value; it stands without them");
    EXPECT_EQ(fault_of("\nconnect = 'zk:1'"), line + "has quotes around its value; it stands without them");
    EXPECT_EQ(fault_of("\nconnect = zk:1 # the server"),
              line + "has a comment behind its value; a comment has a line of its own");
    EXPECT_EQ(fault_of("\nconnect =# the server"), line + "has a comment behind its value; a comment has a line of its own");
    EXPECT_EQ(fault_of("\n[ls] # where"), line + "is not [COMMAND]");
    write("[lock]\non-lost = \"/opt/my mail\" \"lost\"\nlabel = it's\nauth = digest:a:b#c\n");
    const auto lock = parsed<LockCommand>({"lock", "/a", "--config", name}).hold;
    EXPECT_EQ(lock.on_lost, "\"/opt/my mail\" \"lost\"");
    EXPECT_EQ(lock.label, "it's");
    EXPECT_EQ(lock.connection.auth.at(0).credentials, "a:b#c");
}

TEST_F(ConfigFile, ControlCharactersAreRefused) {
    for (const char* text : {"json = \x1d"
                             "l",
                             "\tconnect = a\x1f", "json = \x1e", "[a = \x1d."}) {
        EXPECT_NE(fault_of(text).find("line 1 has control characters"), std::string::npos) << fault_of(text);
    }
}

TEST_F(ConfigFile, DoesNotShowSecrets) {
    EXPECT_EQ(fault_of("connect = zk:1\nhunter2\n"), "config file " + name + ": line 2 is not NAME = VALUE");
    EXPECT_EQ(fault_of("auth = hunter2"), "ls: the value of auth in " + name +
                                              " is SCHEME:CREDENTIALS, such as digest:user:password (see: docent ls --help)");
}

TEST_F(ConfigFile, IsNotReadForHelp) {
    EXPECT_EQ(parsed<HelpCommand>({"ls", "--help"}, {{"DOCENT_CONFIG", "/none"}}), HelpCommand{"ls"});
    EXPECT_EQ(parsed<DemoCommand>({"demo"}, {{"DOCENT_CONFIG", "/none"}}), DemoCommand{});
}

} // namespace
} // namespace docent::cli
