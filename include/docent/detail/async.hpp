// SPDX-License-Identifier: Apache-2.0
#pragma once

// The type-erased boundary between the templates that users call and the bodies in .cpp files.

#include <docent/error.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <memory>
#include <utility>

namespace docent {

namespace asio = boost::asio;

namespace detail {

/// What the bodies see of public objects.
struct Access;

template <typename... Results> using Handler = asio::any_completion_handler<void(error_code, Results...)>;

/// One call of `operation(subject, arguments..., handler)`, whose completion has these results.
template <typename... Results, typename Operation, typename Token, typename Subject, typename... Args>
auto initiate(Operation operation, Token& token, std::shared_ptr<Subject> subject, Args... args) {
    return asio::async_initiate<Token, void(error_code, Results...)>(
        [operation](auto handler, std::shared_ptr<Subject> s, auto... a) {
            operation(s, std::move(a)..., Handler<Results...>(std::move(handler)));
        },
        token, std::move(subject), std::move(args)...);
}

} // namespace detail
} // namespace docent
