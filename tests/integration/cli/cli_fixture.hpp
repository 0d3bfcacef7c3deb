// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "docent_process.hpp"
#include "eventually.hpp"
#include "servers/pooled_server.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace docent::test {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto tick = 500ms;

/// A server, an observing client, and the docent command.
class CliTest : public ::testing::Test {
protected:
    // Connect before any process is forked: a child inherits the C client's socket until the socket is marked
    // (docs/contributing/c-client.md).
    void SetUp() override {
        observer.start();
        observer.wait_connected();
    }

    DocentProcess::Setting setting(std::vector<std::string> words, std::string input = {}) const {
        return {.words = std::move(words), .connect = server.connect_string(), .input = std::move(input)};
    }
    /// `docent lock /lock [options] -- program`. The session timeout is the longest that the server grants, so that the session
    /// survives on a busy machine.
    DocentProcess::Setting lock(std::vector<std::string> program, std::vector<std::string> options = {},
                                const std::string& session = "10s") const {
        std::vector<std::string> words{"lock", "/lock", "--session-timeout", session};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return setting(words);
    }
    /// The same with a short session, for tests that wait until the lock is lost or the session has ended.
    DocentProcess::Setting lock_soon_lost(std::vector<std::string> program, std::vector<std::string> options = {}) const {
        return lock(std::move(program), std::move(options), "2s");
    }

    struct Result {
        int status;
        std::string output;
        std::string errors;
    };
    static Result run(DocentProcess::Setting wanted) {
        DocentProcess process(std::move(wanted));
        const int status = process.exit_status();
        return {status, process.output(), process.errors()};
    }

    /// Removes the empty gate of the semaphore at `path`, as servers do after a minute.
    void remove_empty_gate(const std::string& path) {
        const std::string gate = path + "/locks";
        error_code ec;
        ASSERT_TRUE(eventually([&] { return observer.children(gate, ec).names.empty(); }));
        observer.remove(gate, ec);
        ASSERT_FALSE(observer.exists(gate));
    }
    /// The lock's nodes, in the order of their numbers.
    std::vector<std::string> nodes() {
        error_code ec;
        auto names = observer.children("/lock", ec).names;
        std::sort(names.begin(), names.end(),
                  [](const auto& a, const auto& b) { return a.substr(a.size() - 10) < b.substr(b.size() - 10); });
        return names;
    }
    bool queue_reaches(std::size_t length) {
        return eventually([&] { return nodes().size() == length; });
    }
    static bool file_appears(const std::filesystem::path& file) {
        return eventually([&] { return !read_file(file).empty(); });
    }
    static pid_t pid_in(const std::filesystem::path& file) { return static_cast<pid_t>(std::stol(read_file(file))); }

    /// The messages of docent only. A shell also reports when a process that it waits for is killed.
    static std::string messages(const DocentProcess& process) {
        std::string ours;
        for (const auto& line : lines_of(process.errors())) {
            if (line.rfind("docent: ", 0) == 0) ours += line + '\n';
        }
        return ours;
    }
    /// Field of /proc/PID/stat after the name: the state is the first, the parent the second.
    static std::string stat_field(pid_t pid, int number) {
        const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
        std::istringstream fields(stat.substr(stat.rfind(") ") + 2));
        std::string field;
        for (int i = 0; i < number; ++i) fields >> field;
        return field;
    }
    static pid_t parent_of(pid_t pid) { return static_cast<pid_t>(std::stol(stat_field(pid, 2))); }

    Folder folder;
    docent::test::PooledServer server{{.tick_time = tick}};
    Client observer{{.connect_string = server.connect_string()}};
};

/// Expects a single line for the user that contains `named`.
inline void expect_one_line(const std::string& errors, const std::string& named) {
    EXPECT_EQ(lines_of(errors).size(), 1u) << errors;
    EXPECT_EQ(errors.rfind("docent: ", 0), 0u) << errors;
    EXPECT_NE(errors.find(named), std::string::npos) << errors;
}

} // namespace docent::test
