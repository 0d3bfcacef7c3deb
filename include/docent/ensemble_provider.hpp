// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <string>

namespace docent {

/// Names the servers of the ensemble, in place of `ClientConfig::connect_string`. Derive from it and set
/// `ClientConfig::ensemble_provider`.
/// ```cpp
/// struct FixedServers : docent::EnsembleProvider {
///     std::string connect_string() override { return "zk1:2181,zk2:2181"; }
/// };
/// ```
/// - Thread safety: the client makes one call at a time, on its executor or, without one, on its own thread.
/// - A call must neither block nor throw.
/// @ingroup client
class DOCENT_EXPORT EnsembleProvider {
public:
    /// Allows a destruction through the base class.
    virtual ~EnsembleProvider() = default;

    /// Returns the servers as `host:port,host:port`, in the syntax of `ClientConfig::connect_string`. `tls://` in front is a
    /// fault if the client does not speak TLS.
    ///
    /// The client ignores a chroot in the answer. It asks at the start, and once a second while no server answers. It skips an
    /// answer that it cannot use; Client::last_connect_error() then says why.
    virtual std::string connect_string() = 0;

    /// Tells the provider which servers `/zookeeper/config` names now. The client calls this only with `EnsembleTracking::on`.
    virtual void on_ensemble_changed(const std::string& connect_string) { static_cast<void>(connect_string); }
};

/// Whether the client follows a reconfiguration of the ensemble.
/// @ingroup client
enum class EnsembleTracking {
    off, ///< Use the configured servers only.
    /// Read and watch `/zookeeper/config`, and use the servers that it names for the next connection.
    ///
    /// The client needs READ permission there. While no server answers, the client tries these servers and the configured
    /// servers by turns.
    on,
};

} // namespace docent
