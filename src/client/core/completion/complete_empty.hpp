// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/completion/spare_thread.hpp"

#include <docent/detail/async.hpp>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <memory>
#include <utility>

namespace docent::detail {

/// Completes a call on an object without a client. Posts the handler, so that it is not called from inside the initiating call.
template <typename... Results> void complete_empty(Handler<Results...> handler, error_code ec) {
    auto last = std::make_shared<Handler<Results...>>(std::move(handler));
    const auto spare = spare_executor();
    asio::post(spare, [last, spare, ec] {
        const auto executor = asio::get_associated_executor(*last, asio::any_completion_executor(spare));
        asio::dispatch(executor, [last, ec] { std::move (*last)(ec, Results{}...); });
    });
}

} // namespace docent::detail
