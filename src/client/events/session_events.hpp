// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/events/event_source.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// The implementation of SessionEvents.
class SessionEventQueue : public EventSource<SessionEvent>, public std::enable_shared_from_this<SessionEventQueue> {
public:
    explicit SessionEventQueue(ClientViewPtr view) : EventSource(std::move(view)) {}

    /// Adds the present state and registers for further events. On the strand.
    void open();

private:
    void push(const SessionEvent& event);

    Registration listener_;
};

} // namespace docent::detail
