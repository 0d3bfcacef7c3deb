// SPDX-License-Identifier: Apache-2.0
#include "session/ensemble_tracker.hpp"

#include <utility>

namespace docent::detail {

EnsembleTracker::EnsembleTracker(session::Session& session, std::shared_ptr<EnsembleProvider> provider,
                                 session::ClientPort port)
    : session_(session), provider_(std::move(provider)), port_(port),
      watch_(zk::make_watch_sink([this](const WatchEvent& event) {
          if (event.type != WatchEventType::session_lost) read();
      })) {}

void EnsembleTracker::on_session_event(const SessionEvent& event) {
    if (event.state == SessionState::connected) read();
}

void EnsembleTracker::read() {
    session_.submit(zk::GetRequest{zk::config_path, watch_}, [this, weak = std::weak_ptr(watch_)](const zk::Reply& reply) {
        if (weak.lock() && !reply.ec) on_config(reply.data); // without permission to read, the servers stay as they are
    });
}

void EnsembleTracker::on_config(const std::string& config) {
    const auto servers = session::client_addresses(config, port_);
    std::string text = session::to_connect_string(servers);
    if (servers.empty() || std::exchange(last_, text) == text) return;
    provider_ ? provider_->on_ensemble_changed(text) : session_.use_servers(servers);
}

} // namespace docent::detail
