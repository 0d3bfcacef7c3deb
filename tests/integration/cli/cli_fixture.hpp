// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "docent_process.hpp"
#include "eventually.hpp"
#include "heartbeat_counter.hpp"
#include "queue_at.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>

namespace docent::test {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto tick = 500ms;

/// Expects a single line for the user that contains `named`.
inline void expect_one_line(const std::string& errors, const std::string& named) {
    EXPECT_EQ(lines_of(errors).size(), 1u) << errors;
    EXPECT_EQ(errors.rfind("docent: ", 0), 0u) << errors;
    EXPECT_NE(errors.find(named), std::string::npos) << errors;
}

/// A server, an observing client, and the docent command.
class CliTest : public ::testing::Test {
protected:
    using Words = std::vector<std::string>;
    using Setting = DocentProcess::Setting;

    // Connect before any process is forked: a child inherits the C client's socket until the socket is marked
    // (docs/contributing/c-client.md).
    void SetUp() override {
        observer.start();
        observer.wait_connected();
    }

    Setting setting(Words words, std::string input = {}) const {
        return {.words = std::move(words), .connect = server.connect_string(), .input = std::move(input)};
    }
    /// `docent COMMAND [options] -- program`
    Setting setting(Words command, const Words& options, const Words& program) const {
        command.insert(command.end(), options.begin(), options.end());
        command.emplace_back("--");
        command.insert(command.end(), program.begin(), program.end());
        return setting(std::move(command));
    }
    /// `docent lock /lock [options] -- program`. The session timeout is the longest that the server grants, so that the session
    /// survives on a busy machine.
    Setting lock(const Words& program, const Words& options = {}, const std::string& session = "10s") const {
        return setting({"lock", "/lock", "--session-timeout", session}, options, program);
    }
    /// The same with a short session, for tests that wait until the lock is lost or the session has ended.
    Setting lock_soon_lost(const Words& program, const Words& options = {}) const { return lock(program, options, "5s"); }
    /// The same around a shell script.
    Setting lock_script(const std::string& script, const Words& options = {}, const std::string& session = "10s") const {
        return lock({"sh", "-c", script}, options, session);
    }
    /// A shell that runs `script`, in which `"$0" "$@"` is the command line.
    static Setting in_shell(Setting wanted, const std::string& script) {
        const std::string program = std::exchange(wanted.program, "sh");
        wanted.words.insert(wanted.words.begin(), {"-c", script, program});
        return wanted;
    }
    static Setting through(const docent::testing::FaultProxy& proxy, Setting wanted) {
        wanted.connect = proxy.connect_string();
        return wanted;
    }

    /// Waits until the lease of a new session rests on heartbeats, which pass through `proxy`. If docent is stopped after that,
    /// its command ends 4/12 T before the session can end. Earlier the margin is 1/24 T, too little for a busy machine.
    static bool rests_on_heartbeats(docent::testing::FaultProxy& proxy) {
        return HeartbeatCounter(proxy).go_on(8); // the first and the seventh are 6/16 T apart: A and C of docs/proof.md
    }

    struct Result {
        int status;
        std::string output;
        std::string errors;
    };
    static Result run(Setting wanted) {
        DocentProcess process(std::move(wanted));
        const int status = process.exit_status();
        return {status, process.output(), process.errors()};
    }

    /// Runs the command again if its short --wait was over before a server answered, as on a busy machine.
    static Result run_connected(const Setting& wanted) {
        Result result{};
        eventually([&] {
            result = run(wanted);
            return result.status != 69;
        });
        return result;
    }

    /// Expects this exit status, and a single line for the user that contains `named`.
    static void expect_outcome(const Result& result, int status, const std::string& named) {
        EXPECT_EQ(result.status, status);
        expect_one_line(result.errors, named);
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
    std::vector<std::string> nodes() { return queue_at(observer, "/lock"); }
    bool queue_reaches(std::size_t length) { return test::queue_reaches(observer, "/lock", length); }
    /// The path of the first node.
    std::string first_node() { return "/lock/" + nodes().front(); }

    // ---- files of the test, which its scripts and programs use
    std::string file(const std::string& name) const { return (folder / name).string(); }
    void touch(const std::string& name) const { std::ofstream(folder / name) << "touched"; }
    bool appears(const std::string& name) const {
        return eventually([&] { return !read_file(folder / name).empty(); });
    }
    pid_t pid_in(const std::string& name) const { return static_cast<pid_t>(std::stol(read_file(folder / name))); }

    // ---- parts of scripts
    std::string write(const std::string& text, const std::string& name) const {
        return "echo " + text + " > " + file(name) + "; ";
    }
    /// A command that does `before`, writes its process id to the file `pid`, and goes on for ever.
    Words goes_on(const std::string& before = {}) const { return {"sh", "-c", before + write("$$", "pid") + for_ever}; }
    std::string wait_for_file(const std::string& name) const {
        return "until [ -e " + file(name) + " ]; do sleep 0.02; done; ";
    }
    static constexpr auto for_ever = "while :; do sleep 0.02; done";
    static constexpr auto ignores_term = "trap '' TERM; ";

    // ---- processes
    /// Stops the process, and waits until it is stopped.
    static bool stop(pid_t pid) {
        ::kill(pid, SIGSTOP);
        return eventually([&] { return stat_field(pid, 1) == "T"; });
    }
    static bool ends(pid_t pid) {
        return eventually([&] { return !is_alive(pid); });
    }
    /// The server dies. docent ends the processes with the ids in these files, and exits as after a loss.
    void expect_loss_ends(DocentProcess& holder, const Words& pids = {"pid"}) {
        for (const auto& pid : pids) ASSERT_TRUE(appears(pid));
        server.kill();
        EXPECT_EQ(holder.exit_status(), 76);
        for (const auto& pid : pids) EXPECT_FALSE(is_alive(pid_in(pid))) << pid;
    }
    /// Sends this signal, and expects that docent exits as a command that the signal has ended.
    static void expect_ended_by(DocentProcess& process, int signal) {
        process.send(signal);
        EXPECT_EQ(process.exit_status(), 128 + signal);
    }
    static bool says(const DocentProcess& process, const std::string& text) {
        return eventually([&] { return process.errors().find(text) != std::string::npos; });
    }
    static bool has_printed_a_line(const DocentProcess& process) {
        return eventually([&] { return process.output().ends_with('\n'); });
    }
    /// The messages of docent only. A shell also reports when a process that it waits for is killed.
    static std::string messages(const DocentProcess& process) {
        std::string ours;
        for (const auto& line : lines_of(process.errors())) {
            if (line.rfind("docent: ", 0) == 0) ours += line + '\n';
        }
        return ours;
    }
    /// The first child of the process's first thread; 0 if there is none.
    static pid_t first_child_of(pid_t pid) {
        const std::string id = std::to_string(pid);
        pid_t child = 0;
        std::ifstream("/proc/" + id + "/task/" + id + "/children") >> child;
        return child;
    }
    static pid_t parent_of(pid_t pid) { return static_cast<pid_t>(std::stol(stat_field(pid, 2))); }

    Folder folder;
    docent::test::AnyServer server{{.tick_time = tick}};
    Client observer{{.connect_string = server.connect_string()}};
};

} // namespace docent::test
