// SPDX-License-Identifier: Apache-2.0
#include "testing/process/server_process.hpp"

#include "posix/channel.hpp"
#include "testing/four_letter_word.hpp"
#include "testing/port_lease.hpp"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace docent::testing {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr auto longest_start = 60s;
constexpr auto longest_stop = 15s;
/// A server that is not ready yet may never answer an early question, so ask again after this time.
constexpr auto longest_early_answer = 250ms;

} // namespace

ServerProcess::ServerProcess(ServerOptions options, std::uint16_t port, std::optional<Membership> membership)
    : options_(std::move(options)), membership_(std::move(membership)), files_(options_), watchdog_(files_.folder()) {
    use_port(port);
}

ServerProcess::~ServerProcess() {
    if (running()) end(SIGKILL);
}

void ServerProcess::use_port(std::uint16_t port) {
    port_ = port;
    files_.write_configuration(options_, port_, membership_);
}

StartResult ServerProcess::start() {
    try {
        const StartResult result = launch();
        return result == StartResult::ready ? wait_until_answers() : result;
    } catch (...) {
        if (running()) end(SIGKILL); // no object owns it
        throw;
    }
}

StartResult ServerProcess::launch() {
    if (taken_port()) return StartResult::port_taken;
    const posix::UniqueFd log(::open(files_.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!log) throw std::system_error(errno, std::generic_category(), files_.log().string());
    spawn({.arguments = files_.command_line(options_, membership_),
           .standard_output = log.get(),
           .announce_to = watchdog_.announce_to()});
    return StartResult::ready;
}

StartResult ServerProcess::wait_until_answers() {
    const auto deadline = steady_clock::now() + longest_start;
    while (!answers_as_ours()) {
        if (!running()) {
            if (taken_port()) return StartResult::port_taken;
            fail("ZooKeeper " + process_.end_description() + " while it was starting");
        }
        if (steady_clock::now() >= deadline) {
            end(SIGKILL);
            fail("ZooKeeper did not answer within a minute");
        }
        std::this_thread::sleep_for(2ms);
    }
    return StartResult::ready;
}

std::optional<std::uint16_t> ServerProcess::taken_port() const {
    std::vector<std::uint16_t> ports{port_};
    if (membership_) ports.insert(ports.end(), {membership_->own_ports().quorum, membership_->own_ports().election});
    const auto taken = std::find_if_not(ports.begin(), ports.end(), &port_is_free);
    return taken == ports.end() ? std::nullopt : std::optional(*taken);
}

void ServerProcess::spawn(const ChildCommand& command) {
    try {
        process_ = ChildProcess(command);
    } catch (...) {
        watchdog_.forget_process();
        throw;
    }
}

bool ServerProcess::running() noexcept {
    if (process_.pid() == 0) return false;
    if (process_.poll_running()) return true;
    paused_ = false;
    watchdog_.forget_process(); // the server ended by itself
    return false;
}

bool ServerProcess::serves_enough() const {
    const std::string answer = ask_server(port_, "srvr", longest_early_answer);
    return membership_ ? !answer.empty() : answer.find("Mode:") != std::string::npos;
}

/// Uses `envi`, which always answers. `conf` shows the data folder, but only with a quorum.
bool ServerProcess::answers_as_ours() const {
    try {
        if (!serves_enough()) return false;
        const std::string answer = ask_server(port_, "envi", longest_answer);
        return answer_field(answer, "java.class.path", '=').ends_with(files_.folder().string());
    } catch (const std::system_error&) {
        throw; // the question could not be sent
    } catch (const std::runtime_error&) {
        return false; // not listening yet
    }
}

void ServerProcess::end(int signal) noexcept {
    process_.send(signal);
    process_.send(SIGCONT); // a paused process handles the signal only when it continues
    if (!process_.wait_ended(longest_stop)) {
        process_.send(SIGKILL);
        process_.wait_ended(longest_stop);
    }
    paused_ = false;
    watchdog_.forget_process();
    files_.remove_logs_without_header();
}

void ServerProcess::pause() noexcept {
    process_.pause(longest_answer);
    paused_ = true;
}

void ServerProcess::resume() noexcept {
    process_.send(SIGCONT);
    paused_ = false;
}

void ServerProcess::fail(const std::string& what) const {
    const std::string tail = files_.log_tail();
    throw std::runtime_error("TestingServer: " + what + (tail.empty() ? "" : "; its log ends with:\n" + tail));
}

} // namespace docent::testing
