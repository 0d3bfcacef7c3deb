// SPDX-License-Identifier: Apache-2.0
// `server_pool start` starts the pool for the tests of the ctest that calls it, and returns when the pool listens. The pool
// ends with that ctest.
// `server_pool end` ends the servers that no test uses, and prints how many were started and how often a server was taken.
#include "servers/pool_words.hpp"
#include "servers/server_pool.hpp"

#include "posix/descriptors.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace asio = boost::asio;
using namespace docent::test;
using docent::testing::TestingServer;

namespace {

/// Executes a test's command on its server. Returns the text of the answer.
std::string execute(TestingServer& server, const std::string& command, const std::string& argument) {
    static const std::map<std::string, void (TestingServer::*)()> functions = {
        {"start", &TestingServer::start},     {"stop", &TestingServer::stop},   {"kill", &TestingServer::kill},
        {"restart", &TestingServer::restart}, {"pause", &TestingServer::pause}, {"resume", &TestingServer::resume}};
    if (command == "ask") return server.four_letter_word(argument);
    if (command == "metric") return std::to_string(server.metric(argument));
    (server.*functions.at(command))();
    return {};
}

/// The connection of a test. When the test closes the connection, the server goes back to the pool.
class TestConnection {
public:
    explicit TestConnection(ServerPool& pool) : pool_(pool) {}

    void serve(PoolStream& stream) {
        for (std::string line; std::getline(stream, line);) {
            const auto space = line.find(' ');
            try {
                send_answer(stream, {true, answer(line.substr(0, space), space == line.npos ? "" : line.substr(space + 1))});
            } catch (const std::exception& failed) {
                send_answer(stream, {false, failed.what()});
            }
        }
        if (server_) pool_.give_back(options_, std::move(server_));
    }

private:
    std::string answer(const std::string& command, const std::string& argument) {
        if (command == "end") return pool_.end_all();
        if (command == "take") {
            options_ = argument;
            server_ = pool_.take(options_);
            return std::to_string(server_->port()) + ' ' + server_->data_dir().string();
        }
        return execute(*server_, command, argument);
    }

    ServerPool& pool_;
    std::string options_;
    ServerPool::Server server_;
};

class Pool {
public:
    explicit Pool(pid_t ctest)
        : acceptor_(context_, pool_endpoint(ctest)), ctest_(context_, static_cast<int>(::syscall(SYS_pidfd_open, ctest, 0))) {}

    /// Goes to the background, and serves until ctest ends.
    void serve() {
        context_.notify_fork(context_.fork_prepare);
        if (::daemon(0, 0) != 0) throw docent::posix::last_error("cannot go to the background");
        context_.notify_fork(context_.fork_child);
        ctest_.async_wait(ctest_.wait_read, [this](auto) { context_.stop(); });
        accept();
        context_.run();
        ::_exit(0); // the servers end with this process; tests may still be connected
    }

private:
    void accept() {
        acceptor_.async_accept([this](auto ec, auto socket) {
            if (ec) return acceptor_.close(); // further tests start servers of their own; connected tests keep theirs
            std::thread([this, socket = std::make_shared<decltype(socket)>(std::move(socket))] {
                PoolStream stream(std::move(*socket));
                TestConnection(pool_).serve(stream);
            }).detach();
            accept();
        });
    }

    asio::io_context context_;
    asio::local::stream_protocol::acceptor acceptor_;
    asio::posix::stream_descriptor ctest_;
    ServerPool pool_;
};

} // namespace

int main(int count, char** arguments) {
    const std::string_view word = count == 2 ? arguments[1] : "";
    try {
        if (word == "start") {
            Pool(::getppid()).serve();
        } else if (word == "end") {
            PoolStream pool;
            pool.connect(pool_endpoint(::getppid()));
            const PoolAnswer answer = ask_pool(pool, "end");
            (answer.ok ? std::cout : std::cerr) << answer.text << std::endl;
            return answer.ok ? 0 : 1;
        } else {
            std::cerr << "usage: server_pool start|end, as tests of ctest" << std::endl;
            return 2;
        }
    } catch (const std::exception& failed) {
        std::cerr << "server_pool: " << failed.what() << std::endl;
        return 1;
    }
    return 0;
}
