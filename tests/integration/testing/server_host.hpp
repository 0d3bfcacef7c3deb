// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace docent::test {

/// Gone, or dead and only waiting for whatever is process 1 here to notice.
inline bool process_is_gone(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    return !std::getline(stat, text) || text.find(") Z ") != std::string::npos;
}

/// Another process (testing_server_host) with servers, which it tells the ids of.
class ServerHost {
public:
    explicit ServerHost(const char* argument = nullptr) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::execl(TESTING_SERVER_HOST, TESTING_SERVER_HOST, argument, nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        std::string line;
        for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) line += c;
        ::close(ends[0]);
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
