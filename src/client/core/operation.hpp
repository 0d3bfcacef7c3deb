// SPDX-License-Identifier: Apache-2.0
#pragma once

// One call on its way: what all operations share. How a call becomes one is in launch.hpp.

#include "client/core/client_view.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

namespace docent::detail {

template <typename... Results> using Done = std::function<void(error_code, Results...)>;

/// One call on its way. Everything but construction happens on the client's strand.
class Operation : public std::enable_shared_from_this<Operation> {
public:
    virtual ~Operation() = default;

    /// Starts the work. Its completion may come at any time from now on, also before this returns.
    virtual void begin() = 0;

    /// Completes with `ec` now, if it has not completed yet, and leaves nothing behind on the server that is not scheduled
    /// for removal.
    virtual void abort(error_code ec) = 0;

    /// Whether something that others can see may have been changed by now, and stays so after abort(): then it is too late for
    /// a cancellation that leaves no trace (`total`).
    virtual bool may_have_effects() const { return false; }

    /// What it completes with when its time is over.
    virtual error_code timeout_error() const { return server_error::operation_timeout; }

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

} // namespace docent::detail
