// SPDX-License-Identifier: Apache-2.0

#include <docent/testing/testing_cluster.hpp>

#include "testing/process/server_process.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace docent::testing {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr auto longest_election = 2min;
/// A server that is not ready yet may never answer an early question, so ask again after this time.
constexpr auto longest_mode_answer = 500ms;
constexpr std::size_t most_servers = 255;
constexpr int most_attempts = 10;

} // namespace

struct TestingCluster::Impl {
    void make_servers(const ClusterOptions& options);
    StartResult start();
    void wait_for_quorum(std::chrono::milliseconds longest) const;
    bool has_quorum() const;
    ServerProcess& process(std::size_t number) const { return servers.at(number)->impl_->process; }
    /// The answer; empty if the server does not run, is paused or does not answer in time.
    std::string ask(std::size_t number, std::string_view word, std::chrono::milliseconds longest) const;
    /// `leader`, `follower`, ...; empty while the server does not serve clients.
    std::string mode(std::size_t number, std::chrono::milliseconds longest) const;
    std::string description() const;

    const posix::ProcessMark owner{}; // a child of this process does not touch the servers
    std::deque<PortLease> leases;
    std::vector<std::unique_ptr<TestingServer>> servers;
};

void TestingCluster::Impl::make_servers(const ClusterOptions& options) {
    const auto lease = [&] { return leases.emplace_back().port(); };
    std::vector<MemberPorts> members(options.servers);
    for (MemberPorts& ports : members) ports = {.client = lease(), .quorum = lease(), .election = lease()};
    servers.clear();
    for (std::size_t number = 0; number < members.size(); ++number) {
        const ServerOptions server{
            .tick_time = options.tick_time, .properties = options.properties, .java_options = options.java_options};
        Membership membership{number, members};
        for (std::size_t to = 0; options.leader_port && to < members.size(); ++to) {
            if (to != number) membership.members[to].quorum = options.leader_port(number, to, members[to].quorum);
        }
        auto impl = std::make_unique<TestingServer::Impl>(server, membership);
        servers.push_back(std::unique_ptr<TestingServer>(new TestingServer(std::move(impl))));
    }
}

StartResult TestingCluster::Impl::start() {
    for (std::size_t i = 0; i < servers.size(); ++i) {
        if (process(i).launch() == StartResult::port_taken) return StartResult::port_taken;
    }
    for (std::size_t i = 0; i < servers.size(); ++i) {
        if (process(i).wait_until_answers() == StartResult::port_taken) return StartResult::port_taken;
    }
    wait_for_quorum(longest_election);
    return StartResult::ready;
}

void TestingCluster::Impl::wait_for_quorum(std::chrono::milliseconds longest) const {
    const auto deadline = steady_clock::now() + longest;
    while (!has_quorum()) {
        if (steady_clock::now() >= deadline) {
            throw std::runtime_error("TestingCluster: no quorum in " + std::to_string(longest.count()) +
                                     " ms: " + description());
        }
        std::this_thread::sleep_for(10ms);
    }
}

bool TestingCluster::Impl::has_quorum() const {
    std::size_t leaders = 0;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        if (!process(i).running() || process(i).paused()) continue;
        const std::string found = mode(i, longest_mode_answer);
        if (found == "leader") ++leaders;
        else if (found != "follower" && found != "observer") return false;
    }
    return leaders == 1;
}

std::string TestingCluster::Impl::ask(std::size_t number, std::string_view word, std::chrono::milliseconds longest) const {
    if (!process(number).running() || process(number).paused()) return {};
    try {
        return ask_server(process(number).port(), word, longest);
    } catch (const std::runtime_error&) {
        return {};
    }
}

std::string TestingCluster::Impl::mode(std::size_t number, std::chrono::milliseconds longest) const {
    const std::string answer = ask(number, "srvr", longest);
    const std::string_view mode = answer_field(answer, "Mode", ':');
    return std::string(mode.substr(std::min(mode.find_first_not_of(' '), mode.size())));
}

std::string TestingCluster::Impl::description() const {
    std::string text;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const std::string found = mode(i, longest_mode_answer);
        const std::string_view state = !process(i).running() ? "does not run"
                                       : process(i).paused() ? "is paused"
                                       : found.empty()       ? "serves no client"
                                                             : std::string_view(found);
        text += (i == 0 ? "server " : ", server ") + std::to_string(i) + ' ' + std::string(state);
    }
    return text;
}

TestingCluster::TestingCluster(ClusterOptions options) : impl_(std::make_unique<Impl>()) {
    if (options.servers == 0 || options.servers > most_servers) {
        throw std::runtime_error("TestingCluster: ClusterOptions::servers is " + std::to_string(options.servers) +
                                 "; it must be 1 to " + std::to_string(most_servers));
    }
    for (int attempt = 1;; ++attempt) { // keeps the leases of earlier attempts, so that no port is tried twice
        impl_->make_servers(options);
        if (impl_->start() == StartResult::ready) return;
        if (attempt == most_attempts) throw std::runtime_error("TestingCluster: found no ports to listen on");
    }
}

TestingCluster::~TestingCluster() {
    if (!impl_->owner.is_here()) {
        posix::keep_for_ever(std::move(impl_));
        return;
    }
    for (const auto& server : impl_->servers) server->kill(); // all servers, before the first folder is removed
}

std::string TestingCluster::connect_string() const {
    std::string text;
    for (const auto& server : impl_->servers) text += (text.empty() ? "" : ",") + server->connect_string();
    return text;
}

std::size_t TestingCluster::size() const noexcept {
    return impl_->servers.size();
}

TestingServer& TestingCluster::server(std::size_t number) {
    return *impl_->servers.at(number);
}

const TestingServer& TestingCluster::server(std::size_t number) const {
    return *impl_->servers.at(number);
}

void TestingCluster::wait_for_quorum(std::chrono::milliseconds longest) const {
    impl_->wait_for_quorum(longest);
}

std::optional<std::size_t> TestingCluster::leader() const {
    for (std::size_t i = 0; i < size(); ++i) {
        if (impl_->mode(i, longest_answer) == "leader") return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> TestingCluster::server_of(std::int64_t session_id) const {
    std::array<char, 32> entry{};
    std::snprintf(entry.data(), entry.size(), "sid=0x%llx,", static_cast<unsigned long long>(session_id));
    for (std::size_t i = 0; i < size(); ++i) {
        if (impl_->ask(i, "cons", longest_answer).find(entry.data()) != std::string::npos) return i;
    }
    return std::nullopt;
}

} // namespace docent::testing
