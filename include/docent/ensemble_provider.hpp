// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <string>

namespace docent {

/// Tells a client which servers there are, instead of `ClientConfig::connect_string`. Members are called on the client's
/// executor, one at a time, and must neither block nor throw.
class DOCENT_EXPORT EnsembleProvider {
public:
    virtual ~EnsembleProvider() = default;

    /// `host:port,host:port`, as in `ClientConfig::connect_string`; a chroot is ignored. Asked at the start and once a second
    /// while no server answers. What cannot be used is passed over and shows in Client::last_connect_error().
    virtual std::string connect_string() = 0;

    /// `/zookeeper/config` names these servers now; only with `EnsembleTracking::on`.
    virtual void on_ensemble_changed(const std::string& connect_string) { static_cast<void>(connect_string); }
};

/// Whether a client follows a change of the ensemble (reconfiguration).
enum class EnsembleTracking {
    off,
    /// The servers of `/zookeeper/config` take the place of the configured ones once it was read, which needs READ permission
    /// there. When none of them answers, the configured ones are tried again.
    on,
};

} // namespace docent
