// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace docent {

/// How long a test waits for an expected event: far longer than it takes.
inline constexpr std::chrono::seconds generous{30};

/// Reads a client's session events, up to the event that the test waits for.
class SessionWatcher {
public:
    explicit SessionWatcher(Client& client) : events_(client.session_events()) {}

    /// Reads events until the session is in this state. Fails the test if this does not happen.
    SessionEvent until(SessionState state) {
        for (;;) {
            error_code ec;
            const SessionEvent event = events_.next(ec, {.timeout = generous});
            if (ec) {
                ADD_FAILURE() << "waiting for " << to_string(state) << ": " << ec.message();
                return event;
            }
            seen_.push_back(event);
            if (event.state == state) return event;
        }
    }

    /// All events that were read so far.
    const std::vector<SessionEvent>& seen() const { return seen_; }

private:
    SessionEvents events_;
    std::vector<SessionEvent> seen_;
};

} // namespace docent
