// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/while_alive.hpp"
#include "client/core/operation.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace docent::detail {

/// A strand for calls of a user's function: on `executor`, or on the client's executor if it is empty.
inline asio::any_io_executor user_executor(const ClientView& view, const asio::any_io_executor& executor) {
    return asio::make_strand(executor ? executor : view.executor());
}

/// Calls a user's function with events, until end().
template <typename Event> class UserListener : public std::enable_shared_from_this<UserListener<Event>> {
public:
    UserListener(std::function<void(const Event&)> function, asio::any_io_executor target)
        : function_(std::move(function)), target_(std::move(target)) {}

    /// Calls the function soon.
    void hear(const Event& event) {
        const std::lock_guard lock(mutex_);
        if (target_) asio::post(target_, while_alive(this->weak_from_this(), [this, event] { call(event); }));
    }

    /// Destroys the function, at the latest when a call of it that is under way has ended. The executor is not used any more.
    void end() {
        std::function<void(const Event&)> last; // destroyed outside of the mutex
        const std::lock_guard lock(mutex_);
        target_ = {};
        if (!is_calling_) last.swap(function_);
    }

    Registration registration; // set and dropped on the strand

private:
    struct EndOfCall {
        UserListener& listener;
        ~EndOfCall() {
            std::function<void(const Event&)> last;
            const std::lock_guard lock(listener.mutex_);
            listener.is_calling_ = false;
            if (!listener.target_) last.swap(listener.function_);
        }
    };

    void call(const Event& event) {
        {
            const std::lock_guard lock(mutex_);
            if (!target_) return;
            is_calling_ = true;
        }
        const EndOfCall end_of_call{*this};
        function_(event);
    }

    std::function<void(const Event&)> function_;
    std::mutex mutex_;
    asio::any_io_executor target_; // empty after the end
    bool is_calling_ = false;
};

/// Registers `function` with `listen(function)` on the view's strand, and calls it on `target`, a strand, with each event from
/// then on. Dropping the registration, on any thread, ends this. After that, no call of `function` begins, and `target` is not
/// used: the user may destroy both. The drop does not wait for a call that is under way. In a child of the client's
/// process, this registers nothing.
template <typename Event, typename Listen>
Registration listen_on(asio::any_io_executor target, const std::shared_ptr<ClientView>& view, Listen listen,
                       std::function<void(const Event&)> function) {
    if (!view->is_here()) return nullptr;
    auto user = std::make_shared<UserListener<Event>>(std::move(function), std::move(target));
    view->post([listen = std::move(listen), weak = std::weak_ptr(user)] {
        const auto alive = weak.lock();
        if (!alive) return;
        alive->registration = listen(while_alive(weak, [user = alive.get()](const Event& event) { user->hear(event); }));
    });
    return Registration(user.get(), [user](void*) { user->end(); });
}

/// The same on user_executor(): one call at a time.
template <typename Event, typename Listen>
Registration listen_for_user(const std::shared_ptr<ClientView>& view, Listen listen, std::function<void(const Event&)> function,
                             const asio::any_io_executor& executor) {
    if (!view->is_here()) return nullptr;
    return listen_on<Event>(user_executor(*view, executor), view, std::move(listen), std::move(function));
}

} // namespace docent::detail
