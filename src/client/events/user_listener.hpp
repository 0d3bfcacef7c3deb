// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace docent::detail {

/// Where a user's function is called, one call at a time: on `executor`, on the client's own if it is empty.
inline asio::any_io_executor user_executor(const ClientView& view, const asio::any_io_executor& executor) {
    return executor ? asio::any_io_executor(asio::make_strand(executor)) : view.executor();
}

/// Registers a user's function with `listen(function)` on the client's strand, and calls it on `executor` (on the client's own
/// if it is empty) with each event from then on, one at a time. Dropping the registration ends that, from any thread.
template <typename Event, typename Listen>
Registration listen_for_user(const std::shared_ptr<ClientView>& view, Listen listen, std::function<void(const Event&)> function,
                             const asio::any_io_executor& executor) {
    struct UserListener {
        std::function<void(const Event&)> function;
        Registration registration; // set and dropped on the strand
    };
    auto user = std::make_shared<UserListener>();
    user->function = std::move(function);
    view->post([listen = std::move(listen), target = user_executor(*view, executor), weak = std::weak_ptr(user)] {
        const auto alive = weak.lock();
        if (!alive) return;
        alive->registration = listen([target, weak](const Event& event) {
            asio::post(target, [weak, event] {
                if (const auto called = weak.lock()) called->function(event);
            });
        });
    });
    return user;
}

} // namespace docent::detail
