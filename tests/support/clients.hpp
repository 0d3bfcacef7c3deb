// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starts clients, and notes their failures and session events.

#include <docent/client.hpp>

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace docent {

/// How long a test waits for an expected event: far longer than it takes.
inline constexpr std::chrono::seconds generous{30};

/// Makes a client and starts it.
inline Client started(ClientConfig config) {
    Client client(std::move(config));
    client.start();
    return client;
}

/// The code and the text of the exception that a call has thrown. A call without an exception has neither.
struct Failure {
    error_code code;
    std::string text;
};

template <typename Call> Failure failure_of(Call&& call) {
    try {
        static_cast<void>(call());
    } catch (const boost::system::system_error& e) {
        return {e.code(), e.what()};
    }
    return {};
}

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
