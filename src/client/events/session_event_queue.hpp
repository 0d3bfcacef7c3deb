// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "client/events/mailbox.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// What SessionEvents is behind its face.
class SessionEventQueue : public std::enable_shared_from_this<SessionEventQueue> {
public:
    explicit SessionEventQueue(ClientViewPtr core)
        : core_(std::move(core)), mailbox_(std::make_shared<Mailbox<SessionEvent>>()) {}

    /// Puts in the present state and registers for what follows; on the strand.
    void open();

    const ClientViewPtr& core() const { return core_; }
    const std::shared_ptr<Mailbox<SessionEvent>>& mailbox() const { return mailbox_; }

private:
    void push(const SessionEvent& event);

    ClientViewPtr core_;
    std::shared_ptr<Mailbox<SessionEvent>> mailbox_;
    Registration listener_;
};

} // namespace docent::detail
