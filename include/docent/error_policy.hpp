// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/session_event.hpp>

#include <memory>

namespace docent {

/// Decides which session states end the leases of a client (Curator's `ConnectionStateErrorPolicy`).
/// ```cpp
/// docent::ClientConfig config{.error_policy = docent::ErrorPolicy::standard()};
/// docent::Client strict{config}; // leases end when the connection breaks
/// ```
/// The states `lost` and `closed` end leases whatever the policy answers.
/// - Thread safety: any thread may call the members, several threads at a time.
/// - A call must neither block nor throw.
/// @ingroup leases
class DOCENT_EXPORT ErrorPolicy {
public:
    /// Allows a destruction through the base class.
    virtual ~ErrorPolicy() = default;
    /// Returns whether leases end as soon as the session enters `state`.
    virtual bool ends_holding(SessionState state) const = 0;

    /// Returns the policy that lets leases survive `suspended`: only the end of the session, or of the time for which the
    /// session is certain to live, ends them.
    static std::shared_ptr<const ErrorPolicy> session();
    /// Returns the policy that ends leases when the connection breaks: for work that must stop without news from a server.
    static std::shared_ptr<const ErrorPolicy> standard();
};

} // namespace docent
