// SPDX-License-Identifier: Apache-2.0
#include "session/server_list.hpp"

#include "base/while_alive.hpp"

#include <exception>
#include <utility>

namespace docent::session {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds resolves_again_after{1'000};

// How long the first connection waits for the addresses of all servers. Without this, all clients would connect to the server
// whose name DNS answers first.
constexpr milliseconds time_for_names{50};

} // namespace

ServerList::ServerList(std::shared_ptr<zk::EventLoop> loop, ServerListOptions options, ServerListUser& user)
    : options_(std::move(options)), user_(&user),
      resolver_(std::make_shared<Resolver>(loop->executor(), options_.configured, options_.lookups)),
      resolve_timer_(loop->make_timer()), names_timer_(loop->make_timer()) {}

void ServerList::start(std::weak_ptr<void> life) {
    life_ = std::move(life);
    resolve();
}

void ServerList::close() {
    closed_ = true;
    resolver_->cancel();
    resolve_timer_->cancel();
    names_timer_->cancel();
}

void ServerList::use(std::vector<HostPort> servers) {
    if (closed_ || servers.empty()) return;
    of_ensemble_ = std::move(servers);
    choose(true);
}

void ServerList::on_connected() {
    resolve_timer_->cancel();
    name_fault_.clear();
    failed_attempts_ = 0;
}

void ServerList::on_attempt_failed() {
    const auto enough = 2 * static_cast<int>(resolver_->size());
    if (++failed_attempts_ < enough || of_ensemble_.empty()) return;
    // The addresses in the ensemble's configuration may not be reachable from here, and the configured servers may be gone.
    choose(!tracks_);
}

void ServerList::choose(bool tracks) {
    tracks_ = tracks;
    failed_attempts_ = 0;
    resolver_->set_servers(tracks ? of_ensemble_ : options_.configured);
    resolve();
}

void ServerList::resolve() {
    if (options_.provider) ask_provider();
    names_had_time_ = false;
    after(*names_timer_, time_for_names, &ServerList::use_what_is_resolved);
    resolver_->resolve(detail::while_alive(life_, [this](const Resolver::Result& result) {
        if (!closed_) on_resolved(result);
    }));
}

void ServerList::ask_provider() {
    std::string fault;
    ConnectString answer;
    try {
        answer = parse_connect_string(options_.provider->connect_string(), fault);
    } catch (const std::exception& e) {
        fault = e.what();
    }
    if (fault.empty() && answer.tls && !options_.tls) fault = "it asks for TLS, and the client's configuration does not";
    if (!fault.empty()) user_->on_provider_fault(fault);
    else if (answer.servers != options_.configured) resolver_->set_servers(options_.configured = std::move(answer.servers));
}

/// Called after each lookup that has ended.
void ServerList::on_resolved(const Resolver::Result& result) {
    name_fault_ = user_->needs_servers() ? result.fault : std::string();
    user_->on_name_fault();
    if (!result.addresses.empty()) {
        list_ = to_server_list(result.addresses);
        hosts_ = result.hosts;
    }
    if (result.complete || names_had_time_) use_what_is_resolved();
    resolve_later();
}

void ServerList::use_what_is_resolved() {
    names_timer_->cancel();
    names_had_time_ = true;
    user_->on_servers();
}

/// Resolves names again while no server answers: DNS may have been wrong, or the servers have moved.
void ServerList::resolve_later() {
    const bool may_change = options_.provider || !resolver_->all_numeric();
    if (user_->needs_servers() && may_change) after(*resolve_timer_, resolves_again_after, &ServerList::resolve);
}

void ServerList::after(zk::EventLoop::Timer& timer, milliseconds delay, void (ServerList::*member)()) {
    const auto on_time = [this, member] {
        if (!closed_) (this->*member)();
    };
    timer.start(delay, detail::while_alive(life_, on_time));
}

} // namespace docent::session
