// SPDX-License-Identifier: Apache-2.0

#include <docent/testing/testing_server.hpp>

#include "testing/process/server_process.hpp"

#include <signal.h>

#include <charconv>
#include <stdexcept>

namespace docent::testing {

using namespace std::chrono_literals;

namespace {

constexpr int most_ports = 10;

} // namespace

void TestingServer::Impl::start_on_any_port() {
    std::vector<PortLease> taken; // kept, so that no port is tried twice
    while (process.start() == StartResult::port_taken) {
        if (!lease) process.fail("cannot listen on port " + std::to_string(process.port()) + ": another program does");
        taken.push_back(std::move(*lease));
        if (taken.size() == most_ports) process.fail("found no port to listen on");
        process.use_port(lease.emplace().port());
    }
}

TestingServer::TestingServer(ServerOptions options) : impl_(std::make_unique<Impl>(options)) {
    impl_->start_on_any_port();
}

TestingServer::TestingServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

TestingServer::~TestingServer() {
    if (!impl_->owner.is_here()) posix::keep_for_ever(std::move(impl_));
    else if (running()) impl_->process.end(impl_->process.data_is_temporary() ? SIGKILL : SIGTERM);
}

std::uint16_t TestingServer::port() const noexcept {
    return impl_->process.port();
}

std::string TestingServer::connect_string() const {
    return "127.0.0.1:" + std::to_string(impl_->process.port());
}

std::string TestingServer::tls_connect_string() const {
    return "127.0.0.1:" + std::to_string(impl_->process.tls_port());
}

TlsConfig TestingServer::tls_config() const {
    static_cast<void>(impl_->process.tls_port()); // throws without TLS
    const auto& folder = impl_->process.folder();
    return {.ca_file = folder / "ca.pem", .certificate_file = folder / "client.pem"};
}

const std::filesystem::path& TestingServer::data_dir() const noexcept {
    return impl_->process.data();
}

int TestingServer::pid() const noexcept {
    return impl_->process.pid();
}

bool TestingServer::running() const noexcept {
    return impl_->process.running();
}

void TestingServer::start() {
    if (running()) return;
    ServerProcess& process = impl_->process;
    if (process.start() == StartResult::port_taken) {
        const auto port = process.taken_port().value_or(process.port());
        process.fail("cannot listen on port " + std::to_string(port) + " again: another program does");
    }
}

void TestingServer::stop() {
    if (running()) impl_->process.end(SIGTERM);
}

void TestingServer::kill() {
    if (running()) impl_->process.end(SIGKILL);
}

void TestingServer::restart() {
    stop();
    start();
}

void TestingServer::pause() {
    if (!running()) throw std::runtime_error("TestingServer: cannot pause a server that does not run");
    impl_->process.pause();
}

void TestingServer::resume() {
    if (!running()) throw std::runtime_error("TestingServer: cannot resume a server that does not run");
    impl_->process.resume();
}

std::string TestingServer::four_letter_word(std::string_view word) const {
    return ask_server(impl_->process.port(), word, longest_answer);
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
