// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/events/mailbox.hpp"
#include "client/core/operation.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// What SessionEvents is behind its face.
class SessionEventQueue : public std::enable_shared_from_this<SessionEventQueue> {
public:
    explicit SessionEventQueue(LauncherPtr core)
        : core_(std::move(core)), mailbox_(std::make_shared<Mailbox<SessionEvent>>()) {}

    /// Puts in the present state and registers for what follows; on the strand.
    void open();

    const LauncherPtr& core() const { return core_; }
    const std::shared_ptr<Mailbox<SessionEvent>>& mailbox() const { return mailbox_; }

private:
    void push(const SessionEvent& event);

    LauncherPtr core_;
    std::shared_ptr<Mailbox<SessionEvent>> mailbox_;
    Registration listener_;
};

} // namespace docent::detail
