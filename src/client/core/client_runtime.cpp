// SPDX-License-Identifier: Apache-2.0
#include "client/core/client_runtime.hpp"

#include "client/core/name_space.hpp"
#include "client/data/data_codec.hpp"

#include <docent/path.hpp>

#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <memory>
#include <utility>

namespace docent::detail {
namespace {

constexpr std::string_view no_containers =
    "the server makes no containers: parents are persistent nodes, which stay when they are empty";

/// This machine's first address that is not a loopback address. Curator writes it into lock nodes.
std::string local_address() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return "127.0.0.1";
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        const bool usable = entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == AF_INET &&
                            (entry->ifa_flags & IFF_LOOPBACK) == 0 && (entry->ifa_flags & IFF_UP) != 0;
        if (!usable) continue;
        std::array<char, INET_ADDRSTRLEN> text{};
        const auto* address = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
        if (::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) != nullptr) return text.data();
    }
    return "127.0.0.1";
}

std::string explain_name_space(const std::string& name) {
    return name.empty() ? std::string() : explain_path("/" + name);
}

SessionEvent closed_after(SessionEvent event) {
    event.state = SessionState::closed;
    event.reason = {};
    return event;
}

} // namespace

ClientRuntime::ClientRuntime(const std::optional<asio::any_io_executor>& executor, ClientConfig config)
    : ClientStrand(executor, config.tracer != nullptr), loop_(zk::make_event_loop(strand())), config_(std::move(config)),
      containers_([this](zk::Request request, zk::ReplyHandler handler) { send(std::move(request), std::move(handler)); },
                  [this] { return now(); }, [this] { warn(no_containers); }),
      removals_([this](zk::Request request, zk::ReplyHandler handler) { submit(std::move(request), std::move(handler)); },
                [this](const std::string& path, const std::string& guid) { orphaned_nodes_.on_guid_gone(path, guid); }),
      orphaned_nodes_(
          {.own_guid = [this](std::string_view name) { return marked_guids_.own_guid(name); },
           .submit = [this](zk::Request request, zk::ReplyHandler handler) { submit(std::move(request), std::move(handler)); },
           .remove = [this](std::string path) { remove_in_background({std::move(path)}, nullptr); }}),
      random_(std::random_device{}()) {
    config_.name_space = without_slash(std::move(config_.name_space));
    session::ConnectString connect = session::parse_connect_string(config_.connect_string, config_fault_);
    servers_ = std::move(connect.servers);
    chroot_ = PathPrefix(std::move(connect.chroot));
    if (connect.tls && !config_.tls) config_.tls.emplace();
    if (config_.tls) tls_ = std::make_shared<zk::TlsContext>(*config_.tls);
    if (config_fault_.empty()) config_fault_ = check_config();
    if (!config_.default_data) config_.default_data = local_address();
    default_data_ = *config_.default_data;
    if (encode_data(config_, {}, Compression::client_default, default_data_)) {
        config_fault_ = "default_data cannot be compressed by compression_provider";
    }
    snapshot_.timeout = config_.session_timeout;
}

std::string ClientRuntime::check_config() const {
    using namespace std::chrono_literals;
    if (config_.session_timeout < 1s) return "session_timeout must be at least one second";
    if (config_.session_timeout > 24h) return "session_timeout must be at most one day";
    if (config_.connection_timeout <= 0ms) return "connection_timeout must be positive";
    if (config_.default_acl.empty()) return "default_acl must not be empty";
    if (config_.own_parents == Parents::fail) return "own_parents must be container or persistent";
    if (const auto fault = explain_name_space(config_.name_space); !fault.empty()) return "name_space: " + fault;
    return {};
}

std::shared_ptr<ClientView> ClientRuntime::in_namespace(const std::string& name) {
    if (const auto fault = explain_name_space(name); !fault.empty()) throw Error(error::invalid_config, "namespace: " + fault);
    std::shared_ptr<ClientView> view = shared_from_this();
    if (!chroot_.empty()) view = std::make_shared<NameSpace>(std::move(view), chroot_, NameSpace::Kind::chroot);
    if (!name.empty()) view = std::make_shared<NameSpace>(std::move(view), PathPrefix("/" + name), NameSpace::Kind::name_space);
    return view;
}

std::string ClientRuntime::own_namespace() const {
    return explain_name_space(config_.name_space).empty() ? config_.name_space : std::string();
}

void ClientRuntime::start() {
    if (!is_here()) throw Error(error::other_process, "start");
    if (!config_fault_.empty()) throw Error(error::invalid_config, config_fault_);
    const std::lock_guard lock(snapshot_mutex_);
    if (snapshot_.event.state == SessionState::closed) throw Error(error::closed, "start");
    if (started_) return;
    if (tls_) {
        if (const std::string fault = tls_->check(); !fault.empty()) throw Error(error::invalid_config, "tls: " + fault);
    }
    session::SessionOptions options{.servers = servers_,
                                    .timeout = config_.session_timeout,
                                    .auth = config_.auth,
                                    .provider = config_.ensemble_provider,
                                    .tls = tls_,
                                    .heartbeats = config_.heartbeats,
                                    .random_seed = std::random_device{}()};
    // Made here and not on the strand, so that a failure, for example without descriptors, throws to the caller.
    auto session = std::make_shared<session::Session>(loop_, std::move(options), *this);
    post([self = self(), session] {
        if (self->closed_) return;
        self->session_ = session;
        if (self->config_.ensemble_tracking == EnsembleTracking::on) {
            const auto port = self->tls_ ? session::ClientPort::tls : session::ClientPort::plain;
            self->tracker_.emplace(*self->session_, self->config_.ensemble_provider, port);
        }
        self->session_->start();
    });
    started_ = true;
    started_or_closed_ = true;
}

void ClientRuntime::close(std::function<void()> done) {
    started_or_closed_ = true;
    post([self = self(), done = std::move(done)]() mutable { self->close_on_strand(std::move(done)); });
}

void ClientRuntime::close_on_strand(std::function<void()> done) {
    // Posts `done` behind all answers that were posted before the session closed, also those of calls made since end_leases().
    const auto finished = [self = self(), done = std::move(done)] {
        if (done) self->post(done);
    };
    if (!std::exchange(closed_, true)) end_leases();
    // Closes the session after the functions that the leases have posted: a holder must learn of the loss before another client
    // gets the lock.
    post([self = self(), finished] {
        if (self->session_) return self->session_->close(finished);
        if (self->event_.state != SessionState::closed) self->on_session_event(closed_after(self->event_));
        finished();
    });
}

/// Runs the functions that were posted and not begun: they release leases and end waits. Then ends all operations, as close()
/// does, and destroys their handlers.
void ClientRuntime::on_context_end() noexcept {
    if (!is_here()) return;
    const auto self = shared_from_this();
    begin_context_end();
    started_or_closed_ = true;
    run_posted();
    close_on_strand(nullptr);
    run_posted();
    if (session_) session_->close_now();
    run_posted();
    finish_context_end();
}

/// Ends the leases, while the session still excludes other clients.
void ClientRuntime::end_leases() {
    if (const auto clock = validity_clock()) clock->end(); // so that no lease is granted any more
    const SessionEvent closed = closed_after(event_);
    kept_alive_.for_each([&closed](KeptAlive& object) { object.on_session_event(closed); });
}

SessionEvent ClientRuntime::last_event() const {
    if (!is_here()) return {.state = SessionState::closed, .reason = error::other_process};
    const std::lock_guard lock(snapshot_mutex_);
    return snapshot_.event;
}

std::chrono::milliseconds ClientRuntime::negotiated_timeout() const {
    if (!is_here()) return config_.session_timeout;
    const std::lock_guard lock(snapshot_mutex_);
    return snapshot_.timeout;
}

std::string ClientRuntime::last_connect_error() const {
    if (!is_here()) return make_error_code(error::other_process).message();
    const std::lock_guard lock(snapshot_mutex_);
    return snapshot_.connect_error;
}

void ClientRuntime::submit(zk::Request request, zk::ReplyHandler handler) {
    fill_acls(request);
    handler = orphaned_nodes_.observed(request, std::move(handler));
    containers_.submit(std::move(request), std::move(handler));
}

void ClientRuntime::send(zk::Request request, zk::ReplyHandler handler) {
    if (!closed_ && session_) return session_->submit(std::move(request), std::move(handler));
    post([handler = std::move(handler)] { handler({.ec = error::closed}); });
}

void ClientRuntime::fill_acls(zk::Request& request) const {
    zk::for_each_operation(request, [this](auto& operation) {
        if constexpr (std::is_same_v<decltype(operation), zk::CreateRequest&>) {
            if (operation.acl.empty()) operation.acl = acl_for(operation.path);
        }
    });
}

Acl ClientRuntime::acl_for(const std::string& path) const {
    const bool below_chroot = path.starts_with(chroot_.text() + "/");
    Acl acl = config_.acl_provider && below_chroot ? config_.acl_provider->acl_for(chroot_.strip(path)) : Acl{};
    return acl.empty() ? config_.default_acl : acl;
}

void ClientRuntime::forget_watch(const std::string& path, zk::WatchKind kind) {
    if (session_) session_->forget_watch(path, kind);
}

void ClientRuntime::renew_session() {
    post([self = self()] {
        if (self->session_) self->session_->renew();
    });
}

Registration ClientRuntime::call_at(steady_clock::time_point when, std::function<void()> function) {
    std::shared_ptr<zk::EventLoop::Timer> timer = loop_->make_timer();
    timer->start(when - now(), std::move(function));
    return timer;
}

void ClientRuntime::remove_in_background(RemovalOrder order, Removed done) {
    if (closed_) {
        if (done) post([done = std::move(done)] { done({}); }); // the session's end removes ephemeral nodes
        return;
    }
    Removed done_later;
    if (done) done_later = [this, done = std::move(done)](error_code ec) { post([done, ec] { done(ec); }); };
    const bool connected = session_ && session().state == SessionState::connected;
    removals_.add(std::move(order), connected, std::move(done_later));
}

void ClientRuntime::keep_alive(std::weak_ptr<KeptAlive> object) {
    kept_alive_.add(std::move(object));
    if (session_) session_->set_frequent_heartbeats(true);
}

std::string ClientRuntime::new_guid() {
    return boost::uuids::to_string(uuids_());
}

void ClientRuntime::on_session_event(const SessionEvent& event) {
    {
        const std::lock_guard lock(snapshot_mutex_);
        snapshot_.event = event_ = event;
        if (session_) snapshot_.timeout = session_->timeout();
    }
    const auto self = shared_from_this();
    if (config_.tracer) call_user([tracer = config_.tracer, event] { tracer->on_session_event(event); });
    if (tracker_) tracker_->on_session_event(event);
    containers_.on_session_event(event, session_ ? session_->timeout() : config_.session_timeout);
    if (event.state == SessionState::connected) {
        orphaned_nodes_.on_connected(event);
        removals_.retry();
    }
    if (event.state == SessionState::closed) removals_.on_closed();
    kept_alive_.for_each([&event](KeptAlive& object) { object.on_session_event(event); });
    listeners_.tell(event);
    if (event.state == SessionState::connected) orphaned_nodes_.look(); // after the waiters
    if (event.state == SessionState::lost || event.state == SessionState::closed) tell_load();
}

void ClientRuntime::warn(std::string_view text) {
    if (config_.tracer) call_user([tracer = config_.tracer, text] { tracer->on_warning(text); });
}

void ClientRuntime::tell_load() {
    if (!config_.tracer) return;
    const ClientLoad load{removals_.pending(), session_ ? session_->watches() : 0};
    if (load == std::exchange(told_load_, load)) return;
    call_user([tracer = config_.tracer, load] { tracer->on_load(load); });
}

void ClientRuntime::on_heartbeat() {
    removals_.retry();
    orphaned_nodes_.on_heartbeat();
    orphaned_nodes_.look_late();
    session_->set_frequent_heartbeats(!kept_alive_.empty());
    kept_alive_.for_each([](KeptAlive& object) { object.on_heartbeat(); });
    tell_load();
}

void ClientRuntime::on_connect_error(const std::string& text) {
    const std::lock_guard lock(snapshot_mutex_);
    snapshot_.connect_error = text;
}

} // namespace docent::detail
