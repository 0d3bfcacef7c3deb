// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/connect_string.hpp"

#include <docent/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace docent::session {

namespace asio = boost::asio;

/// Turns servers' names into numeric addresses; numeric ones are taken as they are, so that no resolver thread is started for
/// them.
class Resolver : public std::enable_shared_from_this<Resolver> {
public:
    struct Result {
        std::vector<HostPort> addresses;
        std::string fault; // why a name could not be resolved; empty if all could
    };

    Resolver(const asio::any_io_executor& executor, std::vector<HostPort> servers);

    /// Resolves all servers and calls `done` later, unless cancelled before.
    void resolve(std::function<void(Result)> done);
    void cancel();

    bool all_numeric() const;
    std::size_t size() const { return servers_.size(); }
    /// For the next resolve(); ends the one that is under way.
    void set_servers(std::vector<HostPort> servers);

private:
    void resolve_from(std::size_t index);

    asio::any_io_executor executor_;
    asio::ip::tcp::resolver resolver_;
    std::vector<HostPort> servers_;
    Result result_;
    std::function<void(Result)> done_;
    std::uint64_t generation_ = 0; // of resolve() and set_servers(): what belongs to an earlier one is over
};

} // namespace docent::session
