// SPDX-License-Identifier: Apache-2.0
// docent server and docent demo, which start servers.
#include "docent_process.hpp"

#include "clients.hpp"
#include "eventually.hpp"
#include "folder.hpp"

#include <docent/client.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <utility>

#include <signal.h>

namespace docent::test {
namespace {

/// Returns true while a server's folder exists. The folder is removed when the server has ended.
bool a_server_is_left(const TemporaryFolder& temporary) {
    for (const auto& entry : std::filesystem::directory_iterator(temporary.path())) {
        if (entry.path().filename().string().rfind("docent-server-", 0) == 0) return true;
    }
    return false;
}

/// The connect string that docent server prints when it is ready.
std::string connect_string_of(const DocentProcess& server) {
    std::string found;
    EXPECT_TRUE(eventually([&] {
        std::smatch match;
        const std::string text = server.output();
        if (!std::regex_search(text, match, std::regex("127\\.0\\.0\\.1:[0-9]+"))) return false;
        found = match.str();
        return text.back() == '\n';
    }));
    EXPECT_EQ(lines_of(server.output()).size(), 1u);
    return found;
}

TEST(ServerCommand, RunsUntilASignalAndKeepsItsData) {
    const TemporaryFolder temporary;
    const Folder data;
    for (const int signal : {SIGTERM, SIGINT}) {
        DocentProcess server({.words = {"server", "--port", "0", "--data", (data / "zookeeper").string()}});
        Client client = started({.connect_string = connect_string_of(server)});
        if (signal == SIGTERM) {
            client.create("/kept", "x");
        } else {
            EXPECT_EQ(client.get("/kept").data, "x");
        }
        server.send(signal);
        EXPECT_EQ(server.exit_status(), 0);
        EXPECT_EQ(server.errors(), "");
    }
    EXPECT_FALSE(a_server_is_left(temporary));
}

/// Without Java: nothing on the PATH, and no JAVA_HOME.
TEST(ServerCommand, InMemoryItNeedsNoJavaAndSaysWhatItIs) {
    DocentProcess server(
        {.words = {"-c", "unset JAVA_HOME; PATH= exec \"$0\" server --memory --port 0", DOCENT_BINARY}, .program = "sh"});
    const auto connect = connect_string_of(server);
    EXPECT_TRUE(server.output().starts_with("A server in memory listens on 127.0.0.1:")) << server.output();
    Client client = started({.connect_string = connect});
    client.create("/a", "x");
    EXPECT_EQ(client.get("/a").data, "x");
    client.close();
    server.send(SIGTERM);
    EXPECT_EQ(server.exit_status(), 0);
    EXPECT_EQ(server.errors(), "");
}

TEST(ServerCommand, InMemoryItSpeaksTlsAsTheLineSays) {
    DocentProcess server({.words = {"server", "--memory", "--port", "0", "--tls"}});
    ASSERT_TRUE(eventually([&] { return lines_of(server.output()).size() == 2; }));
    const std::string line = lines_of(server.output())[1];
    const std::string prefix = "With TLS: docent ";
    ASSERT_TRUE(line.starts_with(prefix)) << line;
    DocentProcess listing({.words = {"-c", "\"$0\" " + line.substr(prefix.size()), DOCENT_BINARY}, .program = "sh"});
    EXPECT_EQ(listing.exit_status(), 0);
    EXPECT_EQ(listing.output(), "zookeeper\n");
    EXPECT_EQ(listing.errors(), "");
}

TEST(ServerCommand, SaysThatAPortIsTaken) {
    DocentProcess first({.words = {"server", "--port", "0"}});
    const auto connect = connect_string_of(first);
    const std::string port = connect.substr(connect.find(':') + 1);
    DocentProcess second({.words = {"server", "--port", port}});
    DocentProcess in_memory({.words = {"server", "--memory", "--port", port}});
    for (auto* process : {&second, &in_memory}) {
        EXPECT_EQ(process->exit_status(), 1);
        EXPECT_EQ(lines_of(process->errors()).size(), 1u);
    }
    EXPECT_NE(second.errors().find("another program"), std::string::npos) << second.errors();
    EXPECT_EQ(in_memory.errors(),
              "docent: server: cannot listen on port " + port + ": Address already in use; choose another port\n");
}

TEST(ServerCommand, RefusesDataThatAnotherOneHasUntilThatIsGone) {
    const Folder data;
    const std::vector<std::string> words{"server", "--port", "0", "--data", (data / "zookeeper").string()};
    {
        DocentProcess first({.words = words});
        connect_string_of(first);
        DocentProcess second({.words = words});
        EXPECT_EQ(second.exit_status(), 1);
        EXPECT_EQ(lines_of(second.errors()).size(), 1U) << second.errors();
        EXPECT_NE(
            second.errors().find("another docent server (process " + std::to_string(first.pid()) + ") runs on the data in "),
            std::string::npos)
            << second.errors();
        first.send(SIGKILL);
        first.exit_status();
    }
    DocentProcess third({.words = words});
    Client client = started({.connect_string = connect_string_of(third)});
    client.create("/after", "");
    third.send(SIGTERM);
    EXPECT_EQ(third.exit_status(), 0);
}

TEST(ServerCommand, NamesTheReasonWhyZooKeeperDoesNotStart) {
    const Folder data;
    std::ofstream(data / "version-2") << "not a folder";
    DocentProcess no_folder({.words = {"server", "--port", "0", "--data", (data / "").string()}});
    DocentProcess no_memory(
        {.words = {"-c", "JAVA_TOOL_OPTIONS=-Xms900g exec \"$0\" server --port 0", DOCENT_BINARY}, .program = "sh"});
    for (const auto& [process, reason] : {std::pair(&no_folder, "version-2"), std::pair(&no_memory, "heap size")}) {
        EXPECT_EQ(process->exit_status(), 1);
        const std::string said = process->errors();
        EXPECT_EQ(lines_of(said).size(), 1U) << said;
        EXPECT_TRUE(said.starts_with("docent: server: ZooKeeper ended with status ")) << said;
        EXPECT_NE(said.find(reason), std::string::npos) << said;
        EXPECT_EQ(said.find(".java:"), std::string::npos) << "no stack trace: " << said;
    }
}

TEST(DemoCommand, ShowsItsClaimsAndLeavesNoFiles) {
    const TemporaryFolder temporary;
    for (const std::string kind : {"", " --real"}) {
        DocentProcess demo({.words = {"-c", "exec \"$0\" demo" + kind, DOCENT_BINARY}, .program = "sh"});
        EXPECT_EQ(demo.exit_status(), 0);
        EXPECT_EQ(demo.errors(), "");
        EXPECT_NE(demo.output().find("Proved: 20 turns, 0 overlaps, the counter says 20"), std::string::npos) << demo.output();
        EXPECT_EQ(demo.output().starts_with("Starting a ZooKeeper"), !kind.empty()) << demo.output();
        const std::string server = kind.empty() ? " server --memory &\n" : " server &\n";
        EXPECT_NE(demo.output().find("\n  " DOCENT_BINARY + server), std::string::npos)
            << demo.output(); // the command is not on the PATH, so the whole path is shown
    }
    EXPECT_FALSE(a_server_is_left(temporary));
}

TEST(DemoCommand, EndsOnASignal) {
    const TemporaryFolder temporary;
    DocentProcess demo({.words = {"demo"}});
    ASSERT_TRUE(eventually([&] { return demo.output().find("turn 1/5") != std::string::npos; }));
    demo.send(SIGINT);
    EXPECT_EQ(demo.exit_status(), 128 + SIGINT);
    EXPECT_EQ(demo.errors(), "");
    EXPECT_FALSE(a_server_is_left(temporary));
}

TEST(ServerCommand, WithoutDescriptorsItSaysSoAndLeavesNoFolder) {
    const TemporaryFolder temporary;
    for (const std::string command : {"server", "server --memory", "demo"}) {
        for (const std::string limit : {"5", "6", "8", "12", "24", "40"}) {
            DocentProcess process(
                {.words = {"-c", "ulimit -n " + limit + "; exec \"$0\" " + command, DOCENT_BINARY}, .program = "sh"});
            EXPECT_EQ(process.exit_status(), 1);
            ASSERT_EQ(lines_of(process.errors()).size(), 1u) << process.errors();
            EXPECT_NE(process.errors().find("Too many open files"), std::string::npos) << process.errors();
        }
    }
    EXPECT_FALSE(a_server_is_left(temporary));
}

} // namespace
} // namespace docent::test
