// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/session_event.hpp>

#include <memory>

namespace docent {

/// How the session's states map to the holding of locks (Curator's ConnectionStateErrorPolicy). `lost` and `closed` end it
/// whatever a policy says. Members are called from any thread, several at a time; they must neither block nor throw.
class DOCENT_EXPORT ErrorPolicy {
public:
    virtual ~ErrorPolicy() = default;
    /// Whether a lease is lost as soon as the session is in this state.
    virtual bool ends_holding(SessionState state) const = 0;

    /// Leases survive `suspended`: only the end of the session, or the passing of its validity bound, ends them.
    static std::shared_ptr<const ErrorPolicy> session();
    /// Leases are lost with the connection: for work that must not go on without news from a server.
    static std::shared_ptr<const ErrorPolicy> standard();
};

} // namespace docent
