// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace docent::detail {

/// What an operation waits for between its attempts: a connection, or the end of a pause. One wait at a time; destroying it, or
/// starting another one, ends it silently.
class ConnectionWait {
public:
    using Then = std::function<void(error_code)>;

    explicit ConnectionWait(ClientView& view) : view_(view) {}

    /// Calls `then` when connected: at once if that is so now. With `error::not_connected` after the client's connection
    /// timeout, with `error::closed` or `server_error::auth_failed` when there is no hope.
    void until_connected(Then then);
    /// The same, but waits for as long as it takes.
    void until_connected_at_last(Then then);

    /// Calls `then` after `length`, or with `error::closed` when the client is closed before.
    void pause(std::chrono::milliseconds length, Then then);

    void cancel();

private:
    void begin(Then then, std::optional<std::chrono::milliseconds> longest);
    enum class For { connection, pause };
    void listen(Then then, For what);

    ClientView& view_;
    For what_ = For::connection; // as long as somebody listens
    Registration listener_;
    Registration timer_;
};

} // namespace docent::detail
