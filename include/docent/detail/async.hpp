// SPDX-License-Identifier: Apache-2.0
#pragma once

// The type-erased boundary between the templates that users call and the bodies in .cpp files.

#include <docent/error.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

namespace docent {

namespace asio = boost::asio;

namespace detail {

template <typename... Results> using Handler = asio::any_completion_handler<void(error_code, Results...)>;

} // namespace detail
} // namespace docent
