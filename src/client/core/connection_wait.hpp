// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <chrono>
#include <functional>

namespace docent::detail {

/// The wait of an operation between its attempts: for a connection, or for the end of a pause. One wait at a time. Destroying
/// the object, or starting another wait, cancels the wait silently.
class ConnectionWait {
public:
    using Then = std::function<void(error_code)>;
    /// The longest wait for a connection: the client's connection timeout, or no limit.
    enum class Limit { connection_timeout, none };

    explicit ConnectionWait(ClientView& view) : view_(view) {}

    /// Calls `then` when connected, at once if connected now. Calls it with `error::not_connected` after the limit, and with
    /// `error::closed` or `server_error::auth_failed` if waiting is useless.
    void until_connected(Then then, Limit limit = Limit::connection_timeout);

    /// Calls `then` after `length`, or with `error::closed` if the client is closed before.
    void pause(std::chrono::milliseconds length, Then then);

    void cancel();

private:
    enum class For { connection, pause };
    void listen(Then then, For what);

    ClientView& view_;
    For what_ = For::connection; // valid during a wait
    Registration listener_;
    Registration timer_;
};

} // namespace docent::detail
