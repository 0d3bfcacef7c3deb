// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/listeners.hpp"
#include "base/protection.hpp"
#include "client/core/completion/client_strand.hpp"
#include "client/core/name_space.hpp"
#include "client/core/operation.hpp"
#include "client/core/parents/parents.hpp"
#include "client/core/removals/orphaned_nodes.hpp"
#include "client/core/removals/removals.hpp"
#include "session/ensemble_tracker.hpp"
#include "session/session.hpp"

#include <docent/client.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/uuid/random_generator.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace docent::detail {

/// The implementation of Client: the session, the pending removals, and the listeners. Paths are those of the servers. Members
/// other than those of ClientStrand and the snapshots are called on the strand.
///
/// It belongs to the process that made it. A child has a copy, with the parent's socket, timers and epoll descriptors, without
/// its threads, and with mutexes that may stay locked. In a child, is_here() returns false, and the copy is never destroyed
/// (docent/detail/process_owned.hpp).
class ClientRuntime final : public ClientStrand, public session::SessionListener {
public:
    /// Without an executor, the client has its own thread.
    ClientRuntime(const std::optional<asio::any_io_executor>& executor, ClientConfig config);

    /// Throws Error(error::invalid_config). From any thread.
    void start();
    /// `done` is called on the strand when the session is closed.
    void close(std::function<void()> done);
    void on_context_end() noexcept override;
    void renew_session();

    /// A view of this client with its chroot, and with this namespace unless `name` is empty. Throws
    /// Error(error::invalid_config). From any thread.
    std::shared_ptr<ClientView> in_namespace(const std::string& name);
    /// The namespace of the configuration; empty if it is invalid, which start() refuses.
    std::string own_namespace() const;

    const ClientConfig& config() const override { return config_; }
    SharedObjects& shared_objects() override { return shared_objects_; }

    // Snapshots, from any thread. In a child, they are as after close():
    SessionEvent last_event() const;
    std::chrono::milliseconds negotiated_timeout() const;
    std::string last_connect_error() const;

    // ClientView
    bool is_started() const noexcept override { return started_or_closed_; }
    void submit(zk::Request request, zk::ReplyHandler handler) override;
    void forget_watch(const std::string& path, zk::WatchKind kind) override;
    SessionEvent session() const override { return event_; }
    std::shared_ptr<session::ValidityClock> validity_clock() const override { return session_ ? session_->clock() : nullptr; }
    Registration listen(std::function<void(const SessionEvent&)> listener) override {
        return listeners_.add(std::move(listener));
    }
    Registration call_at(steady_clock::time_point when, std::function<void()> function) override;
    steady_clock::time_point now() const override { return steady_clock::now(); }
    void remove_in_background(RemovalOrder order, Removed done) override;
    void keep_alive(std::weak_ptr<KeptAlive> object) override;
    std::string new_guid() override;
    std::string new_marked_guid() override { return marked_guids_.next(); }
    void on_node_gone(const std::string& path) override { orphaned_nodes_.on_gone(path); }
    void on_guid_gone(const std::string& path, const std::string& guid) override { orphaned_nodes_.on_guid_gone(path, guid); }
    std::uint64_t random() override { return random_(); }
    const RetryPolicy& retry_policy() const override { return config_.retry_policy; }
    const std::string& default_data() const override { return default_data_; }

private:
    // session::SessionListener
    void on_session_event(const SessionEvent& event) override;
    void on_heartbeat() override;
    void on_connect_error(const std::string& text) override;

    std::string check_config() const;
    void fill_acls(zk::Request& request) const;
    void end_leases();
    void tell_load();
    void send(zk::Request request, zk::ReplyHandler handler);
    void warn(std::string_view text); // `text` must live for ever
    Acl acl_for(const std::string& path) const;

    void close_on_strand(std::function<void()> done);
    std::shared_ptr<ClientRuntime> self() { return std::static_pointer_cast<ClientRuntime>(shared_from_this()); }

    const std::shared_ptr<zk::EventLoop> loop_;
    ClientConfig config_;
    std::string config_fault_;
    std::vector<session::HostPort> servers_;
    PathPrefix chroot_;
    std::shared_ptr<zk::TlsContext> tls_; // null: without TLS
    std::string default_data_;
    std::shared_ptr<session::Session> session_; // null before start
    std::optional<EnsembleTracker> tracker_;
    bool closed_ = false;
    ContainerTrial containers_;
    Removals removals_;
    ClientLoad told_load_;
    Listeners<const SessionEvent&> listeners_;
    WeakList<KeptAlive> kept_alive_;
    boost::uuids::random_generator uuids_;
    MarkedGuids marked_guids_{uuids_()};
    OrphanedNodes orphaned_nodes_;
    SharedObjects shared_objects_;
    std::mt19937_64 random_; // for pauses only
    SessionEvent event_;     // the last one; its copy in snapshot_ is for other threads

    struct Snapshot {
        SessionEvent event;
        std::chrono::milliseconds timeout{0};
        std::string connect_error;
    };
    mutable std::mutex snapshot_mutex_; // for readers on other threads
    Snapshot snapshot_;
    bool started_ = false; // guarded by snapshot_mutex_
    std::atomic<bool> started_or_closed_{false};
};

} // namespace docent::detail
