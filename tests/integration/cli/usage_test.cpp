// SPDX-License-Identifier: Apache-2.0
// The messages of the command about wrong arguments, too much data, and servers that do not answer.
#include "cli_fixture.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

namespace docent::test {
namespace {

using UsageTest = CliTest;

/// A server that is not ZooKeeper: it answers the first bytes of each client with its text and closes the connection.
class OtherServer {
public:
    explicit OtherServer(std::string text) : text_(std::move(text)), thread_([this] { serve(); }) {}
    ~OtherServer() {
        context_.stop();
        thread_.join();
    }
    OtherServer(const OtherServer&) = delete;
    OtherServer& operator=(const OtherServer&) = delete;

    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    using Tcp = boost::asio::ip::tcp;

    void serve() {
        accept();
        context_.run();
    }
    void accept() {
        acceptor_.async_accept([this](const boost::system::error_code& ec, Tcp::socket client) {
            if (ec) return;
            boost::system::error_code ignored;
            std::array<char, 256> said{};
            client.read_some(boost::asio::buffer(said), ignored);
            boost::asio::write(client, boost::asio::buffer(text_), ignored);
            client.close(ignored);
            accept();
        });
    }

    std::string text_;
    boost::asio::io_context context_;
    Tcp::acceptor acceptor_{context_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
    std::uint16_t port_ = acceptor_.local_endpoint().port();
    std::thread thread_;
};

TEST_F(UsageTest, NamesTheMistakeAndExits64) {
    struct Case {
        Words words;
        std::string named;
    };
    const Case cases[] = {
        {{"lock", "no-slash", "--", "true"}, "'no-slash'"},
        {{"lock", "/a", "--wiat", "1s", "--", "true"}, "--wiat"},
        {{"lock", "/a", "--"}, "--"},
        {{"lock", "/a", "true"}, "'true'"},
        {{"frobnicate"}, "'frobnicate'"},
        {{}, "no command"},
        {{"get", "/a", "--connect", "::::"}, "'::::' is not a server: it should look like host:2181"},
        {{"get", "/a", "--connect", ""}, "names no server"},
        {{"get", "two\nlines"}, "two lines"},
    };
    for (const auto& wrong : cases) {
        const auto result = run(setting(wrong.words));
        EXPECT_EQ(result.status, 64) << wrong.named;
        expect_one_line(result.errors, wrong.named);
        EXPECT_EQ(result.output, "");
    }
}

/// An empty transaction is refused: a script that prints nothing by mistake must not pass for one that changes nothing.
TEST_F(UsageTest, ATransactionWithoutAnOperationIsRefused) {
    for (const std::string input : {"", "\n", "# set /a b\n\n"}) {
        const auto result = run(setting({"tx"}, input));
        EXPECT_EQ(result.status, 64) << input;
        expect_one_line(result.errors, "tx: there is no operation to apply");
        EXPECT_EQ(result.output, "");
    }
}

TEST_F(UsageTest, TooMuchDataIsNotSent) {
    observer.create("/a", "before");
    expect_outcome(run(setting({"set", "/a", "-"}, std::string(2'000'000, 'x'))), 64, "1 MiB");
    expect_outcome(run(setting({"set", "/a", "-"}, std::string(1'048'560, 'x'))), 64, "1 MiB");
    EXPECT_EQ(observer.get("/a").data, "before");
}

TEST_F(UsageTest, SaysOfEachServerWhyItDidNotAnswer) {
    server.stop();
    expect_one_line(run(setting({"get", "/a"})).errors, server.connect_string() + " (connection refused)");
    OtherServer web("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    OtherServer no_quorum("");
    auto wanted = setting({"get", "/a"});
    wanted.connect = web.address() + "," + no_quorum.address();
    const auto result = run(wanted);
    EXPECT_EQ(result.status, 69);
    expect_one_line(result.errors, web.address() + " (not ZooKeeper)");
    expect_one_line(result.errors, no_quorum.address() + " (hung up: no quorum, too many connections, or a port for TLS)");
}

TEST_F(UsageTest, WithTlsItEndsAsSoonAsEachServerHasALastingFault) {
    OtherServer web("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    auto wanted = lock({"true"}, {"-w", "1h"}); // how long the command would wait for servers that may still start
    wanted.connect = "tls://" + web.address();
    const auto result = run(wanted);
    EXPECT_EQ(result.status, 69);
    expect_one_line(result.errors, "no ZooKeeper answered: no answer from " + web.address() + " (it does not speak TLS)");
}

TEST_F(UsageTest, WithoutWaitingItEndsAsSoonAsEachServerHasRefused) {
    server.stop();
    Setting wanted = lock({"true"}, {"-n"});
    for (const std::string host : {"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"})
        wanted.connect += "," + host + ":" + std::to_string(server.port());
    const auto begin = steady_clock::now();
    const auto result = run(std::move(wanted));
    EXPECT_LT(steady_clock::now() - begin, 14s); // a wait for six servers that may still start lasts 15 s
    expect_outcome(result, 69, "no ZooKeeper answered");
    EXPECT_NE(result.errors.find(server.connect_string() + " (connection refused)"), std::string::npos) << result.errors;
}

TEST_F(UsageTest, OptionsComeFromAConfigFileToo) {
    observer.create("/app", "");
    observer.create("/app/a", "x");
    const auto config = file("docent.conf");
    std::ofstream(config) << "connect = " << server.connect_string() << "\n[get]\nnamespace = app\n";
    EXPECT_EQ(run({.words = {"get", "/a", "--config", config}}).output, "x");
    std::ofstream(config) << "auth = hunter2\n";
    const auto result = run(setting({"get", "/a", "--config", config}));
    EXPECT_EQ(result.status, 64);
    expect_one_line(result.errors, "SCHEME:CREDENTIALS");
    EXPECT_EQ(result.errors.find("hunter2"), std::string::npos) << result.errors;
}

TEST_F(UsageTest, TheManPageAndTheCompletionsGoToStandardOutput) {
    EXPECT_EQ(run(setting({"help", "--man"})).output.rfind(".TH DOCENT 1 ", 0), 0u);
    EXPECT_EQ(run(setting({"completion", "bash"})).output.rfind("# bash completion for docent", 0), 0u);
    EXPECT_EQ(run(setting({"completion", "zsh"})).output.rfind("#compdef docent\n", 0), 0u);
}

TEST_F(UsageTest, HelpAndVersionGoToStandardOutput) {
    EXPECT_EQ(run(setting({"--version"})).output.rfind("docent ", 0), 0u);
    for (const Words& words : {Words{"help"}, {"--help"}, {"lock", "--help"}, {"help", "get"}}) {
        const auto result = run(setting(words));
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(result.output.rfind("usage: docent", 0), 0u);
        EXPECT_EQ(result.errors, "");
    }
}

/// The command's sockets must not get the numbers of closed standard streams: output would go to the server.
TEST_F(UsageTest, ClosedStreamsStayClosedAndNothingElseIsWrittenTo) {
    observer.create("/a", "data");
    const auto closed = [this](const std::string& redirections, const Words& words) {
        return run(in_shell(setting(words), "exec \"$0\" \"$@\" " + redirections));
    };
    const auto unwritable = closed(">&-", {"get", "/a"});
    EXPECT_EQ(unwritable.status, 1);
    expect_one_line(unwritable.errors, "cannot write to standard output: Bad file descriptor");
    EXPECT_EQ(closed("<&- >&- 2>&-", {"get", "/none"}).status, run(setting({"get", "/none"})).status);
    EXPECT_EQ(closed("<&- >&- 2>&-", {"lock", "/lock", "--", "sh", "-c", "echo x; exit 3"}).status, 3);
    EXPECT_EQ(closed("<&- 2>&-", {"lock", "/lock", "--", "sh", "-c", "cat; echo out; exit 3"}).output, "out\n");
}

TEST_F(UsageTest, WithoutDescriptorsItSaysSoAndLeavesNothing) {
    const auto limited = [this](int limit, const Words& words) {
        return run(in_shell(setting(words), "ulimit -n " + std::to_string(limit) + "; exec \"$0\" \"$@\""));
    };
    for (const Words& words : {Words{"get", "/zookeeper"}, {"lock", "/lock", "--", "true"}}) {
        int limit = 4;
        for (auto result = limited(limit, words); result.status != 0; result = limited(++limit, words)) {
            ASSERT_LT(limit, 40);
            if (result.errors.find("error while loading shared libraries") != std::string::npos)
                continue; // the loader's message, not docent's
            EXPECT_EQ(result.status, 1) << limit;
            expect_one_line(result.errors, "Too many open files");
        }
        EXPECT_GT(limit, 8);
    }
    EXPECT_TRUE(nodes().empty());
}

} // namespace
} // namespace docent::test
