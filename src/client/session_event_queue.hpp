// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core.hpp"
#include "client/mailbox.hpp"

#include <docent/session_events.hpp>

namespace docent::detail {

/// What SessionEvents is behind its face.
class SessionEventQueue : public std::enable_shared_from_this<SessionEventQueue> {
public:
    explicit SessionEventQueue(CorePtr core) : core_(std::move(core)), mailbox_(std::make_shared<Mailbox<SessionEvent>>()) {}

    /// Puts in the present state and registers for what follows; on the strand.
    void open();

    const CorePtr& core() const { return core_; }
    const std::shared_ptr<Mailbox<SessionEvent>>& mailbox() const { return mailbox_; }

private:
    void push(const SessionEvent& event);

    CorePtr core_;
    std::shared_ptr<Mailbox<SessionEvent>> mailbox_;
    Registration listener_;
};

/// Calls `listener` on `executor` (on the client's own if it is empty) with each event from now on, one at a time.
Registration listen_for_user(const CorePtr& core, std::function<void(const SessionEvent&)> listener,
                             const asio::any_io_executor& executor);

} // namespace docent::detail
