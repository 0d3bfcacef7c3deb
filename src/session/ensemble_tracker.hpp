// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/session.hpp"

#include <docent/ensemble_provider.hpp>

#include <memory>
#include <string>

namespace docent::detail {

/// Follows `/zookeeper/config`: reads it after each connect and after each change. On the client's strand.
class EnsembleTracker {
public:
    /// `session` must outlive the tracker. With a `provider`, the tracker tells it the servers, and not the session.
    EnsembleTracker(session::Session& session, std::shared_ptr<EnsembleProvider> provider,
                    session::ClientPort port = session::ClientPort::plain);

    void on_session_event(const SessionEvent& event);

private:
    void read();
    void on_config(const std::string& config);

    session::Session& session_;
    std::shared_ptr<EnsembleProvider> provider_;
    session::ClientPort port_;
    std::string last_;
    zk::WatchSink watch_; // replies also use it to see whether the tracker still exists
};

} // namespace docent::detail
