// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Registers `function` with `listen(function)` on the view's strand, and calls it on `target` with each event from then on.
/// Dropping the registration, on any thread, ends this. Then `target` is not used any more, because the user may destroy its
/// context next. In a child of the client's process, this registers nothing.
template <typename Event, typename Listen>
Registration listen_on(asio::any_io_executor target, const std::shared_ptr<ClientView>& view, Listen listen,
                       std::function<void(const Event&)> function) {
    if (!view->is_here()) return nullptr;
    struct UserListener {
        std::function<void(const Event&)> function;
        Registration registration; // set and dropped on the strand
        std::mutex mutex;
        asio::any_io_executor target; // empty after the end
    };
    auto user = std::make_shared<UserListener>();
    user->function = std::move(function);
    user->target = std::move(target);
    view->post([listen = std::move(listen), weak = std::weak_ptr(user)] {
        const auto alive = weak.lock();
        if (!alive) return;
        alive->registration = listen([weak](const Event& event) {
            const auto heard = weak.lock();
            if (!heard) return;
            const std::lock_guard lock(heard->mutex);
            if (!heard->target) return;
            asio::post(heard->target, [weak, event] {
                if (const auto called = weak.lock()) called->function(event);
            });
        });
    });
    return Registration(user.get(), [user](void*) mutable {
        const std::lock_guard lock(user->mutex);
        user->target = {};
    });
}

/// The same on user_executor(): one call at a time.
template <typename Event, typename Listen>
Registration listen_for_user(const std::shared_ptr<ClientView>& view, Listen listen, std::function<void(const Event&)> function,
                             const asio::any_io_executor& executor) {
    if (!view->is_here()) return nullptr;
    return listen_on<Event>(user_executor(*view, executor), view, std::move(listen), std::move(function));
}

} // namespace docent::detail
