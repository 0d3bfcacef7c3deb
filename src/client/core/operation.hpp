// SPDX-License-Identifier: Apache-2.0
#pragma once

// The base class of all operations. launch.hpp makes an operation of each call.

#include "base/time_over.hpp"
#include "client/core/client_view.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

namespace docent::detail {

template <typename... Results> using Done = std::function<void(error_code, Results...)>;

/// One call, until it completes. Everything but construction happens on the client's strand.
class Operation : public std::enable_shared_from_this<Operation> {
public:
    virtual ~Operation() = default;

    /// Starts the work. Its completion may come at any time from now on, also before this returns.
    virtual void begin() = 0;

    /// Completes with `ec` now, if it has not completed yet, and leaves nothing behind on the server that is not scheduled
    /// for removal.
    virtual void abort(error_code ec) = 0;

    /// Whether the call may have changed something that others can see and that abort() does not undo. Then it is too late for
    /// a `total` cancellation, which must leave no trace.
    virtual bool may_have_effects() const { return false; }

    /// Decides the error when the call's time is over: see error_when_over().
    virtual Awaited awaited() const { return Awaited::answer; }

    /// What `launch` arms: dropped at completion.
    struct Bounds {
        Registration timer;
        std::unique_ptr<std::stop_callback<std::function<void()>>> stop; // most calls have none
        void drop() {
            timer.reset();
            stop.reset();
        }
    };
    std::shared_ptr<Bounds> bounds; // shared with the completion, which clears it
};

/// The error of a call whose time is over, by the one rule (base/time_over.hpp).
inline error_code error_when_over(const ClientView& view, Awaited awaited) {
    return time_is_over(awaited, view.session().state == SessionState::connected);
}

} // namespace docent::detail
