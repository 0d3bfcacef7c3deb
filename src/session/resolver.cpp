// SPDX-License-Identifier: Apache-2.0
#include "session/resolver.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace docent::session {
namespace {

bool is_numeric(const HostPort& server) {
    error_code ec;
    asio::ip::make_address(server.host, ec);
    return !ec;
}

} // namespace

Resolver::Resolver(const asio::any_io_executor& executor, std::vector<HostPort> servers)
    : executor_(executor), resolver_(executor), servers_(std::move(servers)) {}

bool Resolver::all_numeric() const {
    return std::all_of(servers_.begin(), servers_.end(), is_numeric);
}

void Resolver::resolve(std::function<void(Result)> done) {
    done_ = std::move(done);
    result_ = {};
    asio::post(executor_, [weak = weak_from_this(), generation = ++generation_] {
        const auto self = weak.lock();
        if (self && generation == self->generation_) self->resolve_from(0);
    });
}

void Resolver::cancel() {
    done_ = nullptr;
    resolver_.cancel();
}

void Resolver::set_servers(std::vector<HostPort> servers) {
    cancel();
    ++generation_;
    servers_ = std::move(servers);
}

void Resolver::resolve_from(std::size_t index) {
    for (; index < servers_.size() && is_numeric(servers_[index]); ++index) result_.addresses.push_back(servers_[index]);
    if (!done_) return;
    if (index == servers_.size()) return std::exchange(done_, nullptr)(std::move(result_));
    const HostPort& server = servers_[index];
    resolver_.async_resolve(
        server.host, std::to_string(server.port),
        [weak = weak_from_this(), index, generation = generation_](const error_code& ec, const auto& found) {
            const auto self = weak.lock();
            if (!self || generation != self->generation_) return;
            const HostPort& asked = self->servers_[index];
            if (ec) self->result_.fault = "cannot resolve " + asked.host + ": " + ec.message();
            for (const auto& entry : found) {
                HostPort numeric{entry.endpoint().address().to_string(), asked.port};
                auto& all = self->result_.addresses;
                if (std::find(all.begin(), all.end(), numeric) == all.end()) all.push_back(std::move(numeric));
            }
            self->resolve_from(index + 1);
        });
}

} // namespace docent::session
