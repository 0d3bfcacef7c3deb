// SPDX-License-Identifier: Apache-2.0
#include <docent/testing/testing_server.hpp>

#include "testing/child_process.hpp"
#include "testing/four_letter_word.hpp"
#include "testing/port_lease.hpp"
#include "testing/server_files.hpp"
#include "testing/watchdog.hpp"

#include <fcntl.h>
#include <signal.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace docent::testing {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr auto longest_start = 60s;
constexpr auto longest_stop = 15s;
constexpr auto longest_answer = 5s;
/// A server that is about to be ready may never answer a question that came too early.
constexpr auto longest_early_answer = 250ms;
constexpr int most_ports = 10;

enum class StartResult { ready, port_taken };

} // namespace

struct TestingServer::Impl {
    explicit Impl(ServerOptions given) : options(std::move(given)), files(options), watchdog(files.folder()) {
        port = options.port;
        if (port == 0) port = lease.emplace().port();
    }

    void start_on_any_port();
    StartResult start();
    void spawn(const ChildCommand& command);
    bool running() noexcept;
    bool answers_as_ours() const;
    void end(int signal) noexcept;
    [[noreturn]] void fail(const std::string& what) const;

    const ServerOptions options;
    const ServerFiles files;
    Watchdog watchdog;
    std::optional<PortLease> lease;
    std::uint16_t port = 0;
    ChildProcess process;
};

void TestingServer::Impl::start_on_any_port() {
    std::vector<PortLease> taken; // kept meanwhile, so that none is tried twice
    while (start() == StartResult::port_taken) {
        if (!lease) fail("cannot listen on port " + std::to_string(port) + ": another program does");
        taken.push_back(std::move(*lease));
        if (taken.size() == most_ports) fail("found no port to listen on");
        port = lease.emplace().port();
    }
}

StartResult TestingServer::Impl::start() {
    if (!port_is_free(port)) return StartResult::port_taken;
    files.write_configuration(options, port);
    const UniqueFd log(::open(files.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!log) throw std::system_error(errno, std::generic_category(), files.log().string());
    spawn({.arguments = files.command_line(options), .standard_output = log.get(), .announce_to = watchdog.announce_to()});
    const auto deadline = steady_clock::now() + longest_start;
    while (!answers_as_ours()) {
        if (!running()) {
            if (!port_is_free(port)) return StartResult::port_taken;
            fail("ZooKeeper " + process.end_description() + " while it was starting");
        }
        if (steady_clock::now() >= deadline) {
            end(SIGKILL);
            fail("ZooKeeper did not answer within a minute");
        }
        std::this_thread::sleep_for(2ms);
    }
    return StartResult::ready;
}

void TestingServer::Impl::spawn(const ChildCommand& command) {
    try {
        process = ChildProcess(command);
    } catch (...) {
        watchdog.forget_process();
        throw;
    }
}

bool TestingServer::Impl::running() noexcept {
    if (process.pid() == 0) return false;
    if (process.poll_running()) return true;
    watchdog.forget_process(); // it ended by itself
    return false;
}

bool TestingServer::Impl::answers_as_ours() const {
    try {
        if (ask_server(port, "srvr", longest_early_answer).find("Mode:") == std::string::npos) return false;
        return answer_field(ask_server(port, "conf", longest_answer), "dataDir", '=') == (files.data() / "version-2").string();
    } catch (const std::runtime_error&) {
        return false; // not listening yet
    }
}

void TestingServer::Impl::end(int signal) noexcept {
    process.send(signal);
    process.send(SIGCONT); // a paused process would keep the signal for later
    if (!process.wait_ended(longest_stop)) {
        process.send(SIGKILL);
        process.wait_ended(longest_stop);
    }
    watchdog.forget_process();
}

void TestingServer::Impl::fail(const std::string& what) const {
    const std::string tail = files.log_tail();
    throw std::runtime_error("TestingServer: " + what + (tail.empty() ? "" : "; its log ends with:\n" + tail));
}

TestingServer::TestingServer(ServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {
    impl_->start_on_any_port();
}

TestingServer::~TestingServer() {
    if (running()) impl_->end(impl_->files.data_is_temporary() ? SIGKILL : SIGTERM);
}

std::uint16_t TestingServer::port() const noexcept {
    return impl_->port;
}

std::string TestingServer::connect_string() const {
    return "127.0.0.1:" + std::to_string(impl_->port);
}

const std::filesystem::path& TestingServer::data_dir() const noexcept {
    return impl_->files.data();
}

int TestingServer::pid() const noexcept {
    return running() ? impl_->process.pid() : 0;
}

bool TestingServer::running() const noexcept {
    return impl_->running();
}

void TestingServer::start() {
    if (running()) return;
    if (impl_->start() == StartResult::port_taken) {
        impl_->fail("cannot listen on port " + std::to_string(impl_->port) + " again: another program does");
    }
}

void TestingServer::stop() {
    if (running()) impl_->end(SIGTERM);
}

void TestingServer::kill() {
    if (running()) impl_->end(SIGKILL);
}

void TestingServer::restart() {
    stop();
    start();
}

void TestingServer::pause() {
    if (!running()) throw std::runtime_error("TestingServer: cannot pause a server that does not run");
    impl_->process.pause(longest_answer);
}

void TestingServer::resume() {
    if (!running()) throw std::runtime_error("TestingServer: cannot resume a server that does not run");
    impl_->process.send(SIGCONT);
}

std::string TestingServer::four_letter_word(std::string_view word) const {
    return ask_server(impl_->port, word, longest_answer);
}

std::int64_t TestingServer::metric(std::string_view name) const {
    const std::string answer = four_letter_word("mntr");
    const std::string_view text = answer_field(answer, name, '\t');
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
        throw std::runtime_error("TestingServer: mntr shows no whole number called " + std::string(name));
    }
    return value;
}

} // namespace docent::testing
