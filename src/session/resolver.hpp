// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/connect_string.hpp"
#include "session/lookups.hpp"
#include "zk/tls/tls_context.hpp"

#include <docent/detail/process_owned.hpp>
#include <docent/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace docent::session {

namespace asio = boost::asio;

using zk::HostsOfAddress;

/// Resolves the names of servers, all at the same time. Numeric addresses need no lookup. Runs on the client's strand, and
/// never blocks.
class Resolver : public std::enable_shared_from_this<Resolver> {
public:
    struct Result {
        std::vector<HostPort> addresses; // found so far, in the order of the servers
        HostsOfAddress hosts;            // by address and port, without zones; each list in the order of the servers
        std::string fault;               // the names without an address so far, with reasons; else empty
        bool complete = true;            // no lookup is under way
    };
    using Listener = std::function<void(const Result&)>;

    Resolver(const asio::any_io_executor& executor, std::vector<HostPort> servers,
             std::shared_ptr<Lookups> lookups = Lookups::of_process());

    /// Looks up all names again, except those whose lookup is still under way. Calls `listener` soon, and after each lookup
    /// that ends, until the next resolve(), set_servers() or cancel().
    void resolve(Listener listener);
    void cancel();

    bool all_numeric() const;
    std::size_t size() const { return servers_.size(); }
    /// Sets the servers for the next resolve(), and cancels the present one.
    void set_servers(std::vector<HostPort> servers);

private:
    /// One server, with its lookup and its answer.
    struct Server {
        HostPort host_port;
        bool numeric = false;
        std::shared_ptr<Lookups::Lookup> lookup = nullptr; // under way
        NameAnswer answer = {};
    };

    void stop_waiting();
    void begin_lookups();
    error_code open_event();
    void await_event();
    void look();
    Result result() const;
    std::string fault_of(const Server& server) const;

    asio::any_io_executor executor_;
    std::shared_ptr<Lookups> lookups_;
    std::vector<Server> servers_;
    std::shared_ptr<posix::EventFd> event_; // raised after each lookup; null before a lookup and after stop_waiting()
    detail::ProcessOwned<asio::posix::stream_descriptor> waiting_;
    bool is_waiting_ = false;
    Listener listener_;
    std::uint64_t generation_ = 0; // counts resolve(), set_servers() and cancel(), so that older callbacks do nothing
};

} // namespace docent::session
