// SPDX-License-Identifier: Apache-2.0
#include "session/resolver.hpp"

#include "base/while_alive.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include <fcntl.h>

namespace docent::session {
namespace {

/// Returns whether `host` is a numeric address. Writes the address as the C client reports it: Java's `2001:db8:0:0:0:0:0:1`
/// becomes `2001:db8::1`. The zone stays.
bool make_canonical(std::string& host) {
    const auto zone = std::min(host.find('%'), host.size());
    error_code ec;
    const auto address = asio::ip::make_address(host.substr(0, zone), ec);
    if (!ec) host.replace(0, zone, address.to_string());
    return !ec;
}

} // namespace

Resolver::Resolver(const asio::any_io_executor& executor, std::vector<HostPort> servers, std::shared_ptr<Lookups> lookups)
    : executor_(executor), lookups_(std::move(lookups)) {
    set_servers(std::move(servers));
}

bool Resolver::all_numeric() const {
    return std::all_of(servers_.begin(), servers_.end(), [](const Server& server) { return server.numeric; });
}

void Resolver::set_servers(std::vector<HostPort> servers) {
    cancel();
    servers_.clear();
    for (HostPort& server : servers) {
        const bool numeric = make_canonical(server.host);
        servers_.push_back({std::move(server), numeric});
    }
}

void Resolver::cancel() {
    ++generation_;
    listener_ = nullptr;
    stop_waiting();
}

/// Closes the descriptor. After this, no wait for a lookup is outstanding on the executor.
void Resolver::stop_waiting() {
    waiting_ = {};
    event_.reset();
    is_waiting_ = false;
}

void Resolver::resolve(Listener listener) {
    ++generation_;
    listener_ = std::move(listener);
    begin_lookups();
    const auto first_look = [this, generation = generation_] {
        if (generation == generation_) look();
    };
    asio::post(executor_, detail::while_alive(weak_from_this(), first_look));
}

/// Begins a lookup for each name that has none under way.
void Resolver::begin_lookups() {
    if (all_numeric()) return;
    const error_code ec = open_event();
    const auto now = std::chrono::steady_clock::now();
    for (Server& server : servers_) {
        if (server.numeric) continue;
        if (ec && server.answer.addresses.empty()) server.answer.fault = ec.message();
        if (ec) continue;
        if (!server.lookup) server.lookup = lookups_->begin(server.host_port.host, now);
        server.lookup->tell(event_);
    }
    if (!ec) await_event();
}

/// Makes a descriptor that the lookup's thread can write to without a reference to this client.
error_code Resolver::open_event() try {
    if (event_) return {};
    auto event = std::make_shared<posix::EventFd>();
    posix::UniqueFd copy(::fcntl(event->fd(), F_DUPFD_CLOEXEC, 3));
    if (!copy) return {errno, boost::system::system_category()};
    asio::posix::stream_descriptor waiting(executor_);
    error_code ec;
    waiting.assign(copy.get(), ec);
    if (ec) return ec;
    copy.release();
    waiting_ = std::make_shared<asio::posix::stream_descriptor>(std::move(waiting));
    event_ = std::move(event);
    return {};
} catch (const std::system_error& no_descriptor) {
    return {no_descriptor.code().value(), boost::system::system_category()};
}

void Resolver::await_event() {
    if (std::exchange(is_waiting_, true)) return;
    const auto on_readable = [this](error_code ec) {
        if (ec || !event_) return;
        is_waiting_ = false;
        event_->clear();
        look();
    };
    waiting_->async_wait(asio::posix::stream_descriptor::wait_read, detail::while_alive(weak_from_this(), on_readable));
}

void Resolver::look() {
    bool complete = true;
    for (Server& server : servers_) {
        NameAnswer answer;
        if (server.lookup && server.lookup->poll(answer)) {
            server.lookup = nullptr;
            // A failed lookup does not replace addresses that were found before: DNS may fail for a while.
            if (answer.fault.empty() || server.answer.addresses.empty()) server.answer = std::move(answer);
        }
        complete = complete && !server.lookup;
    }
    if (!complete && event_) await_event();
    if (const Listener listener = listener_) listener(result()); // a copy: the listener may replace listener_
}

Resolver::Result Resolver::result() const {
    Result result;
    const auto add_to = [](auto& all, auto one) {
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
    };
    for (const Server& server : servers_) {
        const auto add = [&](HostPort address) {
            const std::string told = address.host.substr(0, address.host.find('%')); // the C client omits zones
            add_to(result.hosts[told + ':' + std::to_string(address.port)], server.numeric ? told : server.host_port.host);
            add_to(result.addresses, std::move(address));
        };
        if (server.numeric) add(server.host_port);
        for (const std::string& address : server.answer.addresses) add({address, server.host_port.port});
        result.complete = result.complete && !server.lookup;
        const std::string fault = fault_of(server);
        if (!fault.empty()) result.fault += (result.fault.empty() ? "" : "; ") + fault;
    }
    if (!result.fault.empty() && !result.addresses.empty()) result.fault += "; trying the other servers";
    return result;
}

/// Why this server has no address; empty if it has one.
std::string Resolver::fault_of(const Server& server) const {
    if (!server.answer.addresses.empty() || server.numeric) return {};
    const std::string what = "cannot resolve " + server.host_port.host;
    if (!server.lookup) return server.answer.fault.empty() ? std::string() : what + ": " + server.answer.fault;
    const auto silent = std::chrono::steady_clock::now() - server.lookup->started();
    const auto seconds = std::chrono::round<std::chrono::seconds>(silent).count();
    return what + " (no answer from DNS" + (seconds > 0 ? " in " + std::to_string(seconds) + " s" : "") + ")";
}

} // namespace docent::session
