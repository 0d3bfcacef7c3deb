// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"
#include "posix/spawn.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace docent::test {

/// Another process (testing_server_host) that starts servers and reports their process ids.
class ServerHost {
public:
    explicit ServerHost(const char* argument = nullptr) {
        posix::Channel output = posix::make_channel();
        std::vector<std::string> command{TESTING_SERVER_HOST};
        if (argument != nullptr) command.emplace_back(argument);
        pid_ = posix::spawn_detached(posix::ProgramImage(std::move(command)),
                                     {.output = output.theirs.get(), .errors = STDERR_FILENO})
                   .pid;
        output.theirs.reset();
        std::string line;
        for (char c = 0; ::read(output.ours.get(), &c, 1) == 1 && c != '\n';) line += c;
        std::istringstream words(line);
        for (pid_t server = 0; words >> server;) server_pids_.push_back(server);
        EXPECT_FALSE(server_pids_.empty()) << "the helper program did not start a server";
    }
    ~ServerHost() { end(SIGKILL); }
    ServerHost(const ServerHost&) = delete;
    ServerHost& operator=(const ServerHost&) = delete;

    const std::vector<pid_t>& server_pids() const { return server_pids_; }
    void end(int signal) {
        if (pid_ <= 0) return;
        ::kill(pid_, signal);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

private:
    pid_t pid_ = 0;
    std::vector<pid_t> server_pids_;
};

} // namespace docent::test
