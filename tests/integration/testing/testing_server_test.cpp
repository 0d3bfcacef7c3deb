// SPDX-License-Identifier: Apache-2.0
#include "eventually.hpp"
#include "folder.hpp"
#include "integration/testing/raw_client.hpp"
#include "limits.hpp"

#include <docent/testing/testing_server.hpp>

#include <boost/system/system_error.hpp>

#include <gtest/gtest.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <memory>
#include <thread>

namespace docent::testing {
namespace {

using namespace std::chrono_literals;
using test::create_at;
using test::eventually;
using test::exists_at;
using test::RawClient;
using test::ScopedVariable;
using test::TemporaryFolder;

bool accepts_connections(const TestingServer& server) {
    try {
        const RawClient client(server.port());
        return true;
    } catch (const boost::system::system_error&) {
        return false;
    }
}

std::string message_of(const ServerOptions& options) {
    try {
        const TestingServer server(options);
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

TEST(TestingServer, AnswersOnceConstructed) {
    const TestingServer server;
    EXPECT_TRUE(server.running());
    EXPECT_GT(server.pid(), 0);
    EXPECT_EQ(server.connect_string(), "127.0.0.1:" + std::to_string(server.port()));
    EXPECT_EQ(server.four_letter_word("ruok"), "imok");
    EXPECT_NE(server.four_letter_word("srvr").find("Mode: standalone"), std::string::npos);
    EXPECT_EQ(server.metric("zk_ephemerals_count"), 0);
    EXPECT_THROW(server.metric("zk_no_such_thing"), std::runtime_error);
    EXPECT_TRUE(RawClient(server.port()).handshake());
}

TEST(TestingServer, TwoAtOnceAreApart) {
    const TestingServer one;
    const TestingServer two;
    EXPECT_NE(one.port(), two.port());
    EXPECT_NE(one.data_dir(), two.data_dir());
    EXPECT_EQ(create_at(one.port(), "/only-here"), 0);
    EXPECT_EQ(exists_at(one.port(), "/only-here"), true);
    EXPECT_EQ(exists_at(two.port(), "/only-here"), false);
}

TEST(TestingServer, RestartKeepsPortAndData) {
    TestingServer server;
    const auto port = server.port();
    const auto pid = server.pid();
    EXPECT_EQ(create_at(server.port(), "/kept"), 0);
    server.restart();
    EXPECT_EQ(server.port(), port);
    EXPECT_NE(server.pid(), pid);
    EXPECT_EQ(exists_at(server.port(), "/kept"), true);
}

TEST(TestingServer, KillKeepsDataToo) {
    TestingServer server;
    EXPECT_EQ(create_at(server.port(), "/kept"), 0);
    server.kill();
    EXPECT_FALSE(server.running());
    EXPECT_EQ(server.pid(), 0);
    EXPECT_FALSE(accepts_connections(server));
    EXPECT_THROW(server.four_letter_word("ruok"), std::runtime_error);
    server.start();
    EXPECT_EQ(exists_at(server.port(), "/kept"), true);
}

TEST(TestingServer, KillInTheMakingOfALogDoesNotPreventTheNextStart) {
    TestingServer server;
    EXPECT_EQ(create_at(server.port(), "/kept"), 0);
    for (const bool by_another_program : {false, true}) {
        std::ofstream(server.data_dir() / "version-2" / "log.7fffffff") << "ZKLG";
        by_another_program ? static_cast<void>(::kill(server.pid(), SIGKILL)) : server.kill();
        EXPECT_TRUE(eventually([&] { return !server.running(); }));
        server.start();
        EXPECT_EQ(exists_at(server.port(), "/kept"), true);
    }
}

TEST(TestingServer, PausedServerKeepsConnectionsAndAnswersAfterwards) {
    TestingServer server;
    RawClient client(server.port());
    ASSERT_TRUE(client.handshake());
    server.pause();
    client.send_exists(7, "/");
    EXPECT_FALSE(client.read_reply(200ms));
    server.resume();
    const auto reply = client.read_reply();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->xid, 7);
}

TEST(TestingServer, PausedServerCanBeStopped) {
    TestingServer server;
    server.pause();
    server.stop();
    EXPECT_FALSE(server.running());
    EXPECT_THROW(server.pause(), std::runtime_error);
    EXPECT_THROW(server.resume(), std::runtime_error);
}

TEST(TestingServer, NoticesThatItsProcessHasDied) {
    TestingServer server;
    ::kill(server.pid(), SIGKILL);
    EXPECT_TRUE(eventually([&] { return !server.running(); }));
    server.start();
    EXPECT_EQ(server.four_letter_word("ruok"), "imok");
}

TEST(TestingServer, OptionsReachTheServer) {
    const TestingServer server(
        {.tick_time = 250ms, .properties = {{"maxSessionTimeout", "77000"}}, .java_options = {"-Duser.name=somebody"}});
    const std::string configuration = server.four_letter_word("conf");
    EXPECT_NE(configuration.find("tickTime=250\n"), std::string::npos);
    EXPECT_NE(configuration.find("maxSessionTimeout=77000\n"), std::string::npos);
    EXPECT_NE(server.four_letter_word("envi").find("user.name=somebody"), std::string::npos);
}

TEST(TestingServer, DataFolderOfTheUserIsKept) {
    const TemporaryFolder folder;
    const auto data = folder.path() / "data of mine";
    {
        const TestingServer server({.data_dir = data});
        EXPECT_EQ(server.data_dir(), data);
        EXPECT_EQ(create_at(server.port(), "/kept"), 0);
    }
    const TestingServer server({.data_dir = data});
    EXPECT_EQ(exists_at(server.port(), "/kept"), true);
}

TEST(TestingServer, LeavesNothingBehind) {
    const TemporaryFolder folder;
    {
        TestingServer server;
        EXPECT_FALSE(folder.empty());
        server.restart();
    }
    EXPECT_TRUE(folder.empty());
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child process is left";
    EXPECT_EQ(errno, ECHILD);
}

TEST(TestingServer, LeavesNothingBehindWithoutDescriptors) {
    const TemporaryFolder folder;
    {
        const test::DescriptorLimit limit(1); // the port for TLS needs two
        const std::string message = message_of({.port = 1, .tls = true});
        EXPECT_NE(message.find("Too many open files"), std::string::npos) << message;
    }
    EXPECT_TRUE(folder.empty());
}

TEST(TestingServer, WorksWhenTheHostIgnoresItsChildren) {
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    {
        TestingServer server;
        server.pause();
        server.resume();
        server.restart();
        EXPECT_EQ(server.four_letter_word("ruok"), "imok");
        server.kill();
        EXPECT_FALSE(server.running());
    }
    ::signal(SIGCHLD, before);
}

TEST(TestingServer, TerminalSignalsDoNotReachIt) {
    const TestingServer server;
    EXPECT_NE(::getsid(server.pid()), ::getsid(0));
    EXPECT_NE(::getpgid(server.pid()), ::getpgid(0));
}

TEST(TestingServer, NoDescriptorIsInherited) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), 0), 0); // without close-on-exec
    const TestingServer server;
    ::close(ends[1]);
    pollfd other_end{ends[0], 0, 0};
    EXPECT_TRUE(eventually([&] { return ::poll(&other_end, 1, 0) == 1 && (other_end.revents & POLLHUP) != 0; }))
        << "somebody has it";
    ::close(ends[0]);
}

TEST(TestingServer, OutlivesTheThreadThatStartedIt) {
    std::unique_ptr<TestingServer> server;
    std::thread([&] { server = std::make_unique<TestingServer>(); }).join();
    RawClient client(server->port());
    ASSERT_TRUE(client.handshake());
    for (int xid = 1; xid <= 100; ++xid) {
        client.send_exists(xid, "/");
        ASSERT_TRUE(client.read_reply());
    }
    EXPECT_TRUE(server->running());
}

TEST(TestingServer, SaysThatThePortIsTaken) {
    const TestingServer server;
    EXPECT_EQ(message_of({.port = server.port()}).find("TestingServer: cannot listen on port " + std::to_string(server.port())),
              0U);
}

TEST(TestingServer, ErrorsNameTheMissingFiles) {
    {
        const ScopedVariable java("JAVA_HOME", "/nowhere");
        EXPECT_EQ(message_of({}), "TestingServer: JAVA_HOME is /nowhere, but there is no program bin/java in it");
    }
    {
        const ScopedVariable java("JAVA_HOME", "");
        const ScopedVariable path("PATH", "/nowhere");
        EXPECT_NE(message_of({}).find("no Java runtime found; install one and ZooKeeper (on Debian: apt-get install "
                                      "default-jre-headless libzookeeper-java)"),
                  std::string::npos);
    }
    {
        const ScopedVariable zookeeper("ZOOKEEPER_HOME", "/nowhere");
        EXPECT_NE(message_of({}).find("ZOOKEEPER_HOME is /nowhere, but there is no zookeeper*.jar"), std::string::npos);
    }
}

TEST(TestingServer, RefusesPropertiesThatHaveAFieldOfTheirOwn) {
    const TemporaryFolder folder;
    EXPECT_NE(message_of({.properties = {{"dataDir", "/elsewhere"}}}).find("dataDir cannot be set as a property"),
              std::string::npos);
    EXPECT_NE(message_of({.tls = true, .properties = {{"secureClientPort", "1"}}}).find("secureClientPort cannot be set"),
              std::string::npos);
    EXPECT_TRUE(folder.empty());
}

TEST(TestingServer, ReleaseInAFolderOfItsOwnWorks) {
    const TemporaryFolder folder;
    const auto libraries = folder.path() / "zookeeper" / "lib";
    std::filesystem::create_directories(libraries);
    if (!std::filesystem::exists("/usr/share/java/zookeeper.jar")) GTEST_SKIP() << "made of Debian's jar";
    std::filesystem::create_symlink("/usr/share/java/zookeeper.jar", libraries / "zookeeper-3.8.0.jar");
    const ScopedVariable home("ZOOKEEPER_HOME", (folder.path() / "zookeeper").string());
    const TestingServer server;
    EXPECT_NE(server.four_letter_word("envi").find(libraries.string()), std::string::npos);
}

} // namespace
} // namespace docent::testing
