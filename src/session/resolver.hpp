// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/process_mark.hpp"
#include "session/connect_string.hpp"
#include "session/lookups.hpp"

#include <docent/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::session {

namespace asio = boost::asio;

/// Turns servers' names into numeric addresses, all names at the same time. Numeric addresses are taken as they are. On the
/// client's strand; nothing here waits for a lookup.
class Resolver : public std::enable_shared_from_this<Resolver> {
public:
    struct Result {
        std::vector<HostPort> addresses; // found so far, in the order of the servers
        std::string fault;               // the names without an address so far, and why; empty if there are none
        bool complete = true;            // no lookup is under way
    };
    using Listener = std::function<void(const Result&)>;

    Resolver(const asio::any_io_executor& executor, std::vector<HostPort> servers,
             std::shared_ptr<Lookups> lookups = Lookups::of_process());

    /// Looks all names up anew, but for those whose lookup is still under way. Calls `listener` later: once soon, and each time
    /// that a lookup has ended, until another resolve(), set_servers() or cancel().
    void resolve(Listener listener);
    void cancel();

    bool all_numeric() const;
    std::size_t size() const { return servers_.size(); }
    /// For the next resolve(); ends the one that is under way.
    void set_servers(std::vector<HostPort> servers);

private:
    /// What is known of one server.
    struct Server {
        HostPort host_port;
        bool numeric = false;
        std::shared_ptr<Lookups::Lookup> lookup = nullptr; // under way
        NameAnswer answer = {};
    };

    void stop_waiting();
    void begin_lookups();
    error_code open_bell();
    void await_bell();
    void look();
    Result result() const;
    std::string fault_of(const Server& server) const;

    asio::any_io_executor executor_;
    std::shared_ptr<Lookups> lookups_;
    std::vector<Server> servers_;
    std::shared_ptr<posix::Bell> bell_; // rung when a lookup has ended; made for the first one
    std::optional<posix::ProcessBound<asio::posix::stream_descriptor>> waiting_;
    bool is_waiting_ = false;
    Listener listener_;
    std::uint64_t generation_ = 0; // of resolve(), set_servers() and cancel(): what belongs to an earlier one is over
};

} // namespace docent::session
