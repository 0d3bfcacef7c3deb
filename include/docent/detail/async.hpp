// SPDX-License-Identifier: Apache-2.0
#pragma once

// Templates for users call functions in .cpp files through a type-erased handler. This header has the parts for that.

#include <docent/error.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <memory>
#include <utility>

namespace docent {

namespace asio = boost::asio;

namespace detail {

/// Gives functions in .cpp files access to the private parts of public classes.
struct Access;

/// A completion handler of any type.
template <typename... Results> using Handler = asio::any_completion_handler<void(error_code, Results...)>;

/// Calls `operation(subject, args..., handler)` for a completion token; the completion has `Results` after the error code.
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
