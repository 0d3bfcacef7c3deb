// SPDX-License-Identifier: Apache-2.0

#include "testing/process/server_process.hpp"
#include "posix/descriptors.hpp"
#include "testing/four_letter_word.hpp"
#include "testing/port_lease.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace docent::testing {

namespace fs = std::filesystem;

namespace {

constexpr auto debian_jar = "/usr/share/java/zookeeper.jar"; // its manifest names the other jars
constexpr auto debian_logging_jar = "/usr/share/java/slf4j-simple.jar";

bool is_program(const fs::path& file) {
    std::error_code ec;
    return fs::is_regular_file(file, ec) && ::access(file.c_str(), X_OK) == 0;
}

bool is_zookeeper_jar(const fs::path& file) {
    return file.extension() == ".jar" && file.filename().string().starts_with("zookeeper") &&
           !file.filename().string().starts_with("zookeeper-jute");
}

std::optional<fs::path> zookeeper_jar_in(const fs::path& folder) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(folder, ec)) {
        if (is_zookeeper_jar(entry.path())) return entry.path();
    }
    return std::nullopt;
}

std::string class_path_of(const fs::path& home) {
    std::string libraries = (home / "lib" / "*").string();
    if (zookeeper_jar_in(home / "lib")) return libraries; // ZooKeeper 3.5 and later
    if (const auto jar = zookeeper_jar_in(home)) return jar->string() + ":" + libraries;
    throw std::runtime_error("TestingServer: ZOOKEEPER_HOME is " + home.string() +
                             ", but there is no zookeeper*.jar in it or in its folder lib");
}

} // namespace

fs::path find_java() {
    if (const char* home = std::getenv("JAVA_HOME"); home && *home) {
        fs::path java = fs::path(home) / "bin" / "java";
        if (is_program(java)) return java;
        throw std::runtime_error("TestingServer: JAVA_HOME is " + std::string(home) +
                                 ", but there is no program bin/java in it");
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        fs::path java = fs::path(folder) / "java";
        if (is_program(java)) return java;
    }
    throw std::runtime_error("TestingServer: no Java runtime found; install one (on Debian: apt-get install "
                             "default-jre-headless) or set JAVA_HOME");
}

std::string find_zookeeper_class_path() {
    if (const char* home = std::getenv("ZOOKEEPER_HOME"); home && *home) return class_path_of(home);
    std::error_code ec;
    if (!fs::exists(debian_jar, ec)) {
        throw std::runtime_error("TestingServer: no ZooKeeper found; install it (on Debian: apt-get install "
                                 "libzookeeper-java) or set ZOOKEEPER_HOME to the folder of an unpacked release");
    }
    return fs::exists(debian_logging_jar, ec) ? std::string(debian_jar) + ":" + debian_logging_jar : debian_jar;
}

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
