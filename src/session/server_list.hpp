// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/connect_string.hpp"
#include "session/resolver.hpp"
#include "zk/event_loop.hpp"

#include <docent/ensemble_provider.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace docent::session {

/// Where the servers come from.
struct ServerListOptions {
    std::vector<HostPort> configured;
    std::shared_ptr<EnsembleProvider> provider = nullptr; // is asked before each lookup
    std::shared_ptr<Lookups> lookups = Lookups::of_process();
    bool tls = false; // the client speaks TLS
};

/// The user of a ServerList.
class ServerListUser {
public:
    virtual ~ServerListUser() = default;
    /// list() may have changed. The user applies it at once.
    virtual void on_servers() = 0;
    /// name_fault() may have changed.
    virtual void on_name_fault() = 0;
    virtual void on_provider_fault(const std::string& fault) = 0;
    /// False while a server answers.
    virtual bool needs_servers() const = 0;
};

/// The servers to connect to: those of the configuration, of an ensemble provider, or of the ensemble itself. Resolves their
/// names, and again while no server answers. All members are called on the loop's strand.
class ServerList {
public:
    ServerList(std::shared_ptr<zk::EventLoop> loop, ServerListOptions options, ServerListUser& user);

    /// Begins to resolve the names. `life` points to the user, which owns this object. After the user's end, callbacks do
    /// nothing.
    void start(std::weak_ptr<void> life);
    void close();

    /// Uses these servers of the ensemble for the next connection. While no server answers, the client tries these servers and
    /// the configured servers by turns.
    void use(std::vector<HostPort> servers);

    void on_connected();
    void on_disconnected() { resolve_later(); }
    void on_attempt_failed();

    /// The addresses that are known, as the C client wants them; empty if there are none.
    const std::string& list() const { return list_; }
    /// The hosts of each address in the list: its names, or the address itself.
    const HostsOfAddress& hosts() const { return hosts_; }
    /// The names without an address, and why; empty if all names have an address, or while a server answers.
    const std::string& name_fault() const { return name_fault_; }

private:
    void choose(bool tracks);
    void resolve();
    void resolve_later();
    void ask_provider();
    void on_resolved(const Resolver::Result& result);
    void use_what_is_resolved();
    void after(zk::EventLoop::Timer& timer, std::chrono::milliseconds delay, void (ServerList::*member)());

    ServerListOptions options_;
    ServerListUser* user_;
    std::weak_ptr<void> life_;
    std::shared_ptr<Resolver> resolver_;
    std::unique_ptr<zk::EventLoop::Timer> resolve_timer_;
    std::unique_ptr<zk::EventLoop::Timer> names_timer_; // ends the wait for all names (time_for_names)
    std::string list_;
    HostsOfAddress hosts_;
    std::string name_fault_;
    bool names_had_time_ = false;
    std::vector<HostPort> of_ensemble_; // from use()
    bool tracks_ = false;               // whether these servers are tried now, and not the configured servers
    int failed_attempts_ = 0;           // since the last connection, or the last choice of servers
    bool closed_ = false;
};

} // namespace docent::session
