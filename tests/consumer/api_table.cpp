// SPDX-License-Identifier: Apache-2.0

// The table of the API: a user's file that must compile and link. None of its calls is made.

#include "api_forms.hpp"

#include <iostream>

namespace plain {
template <typename Object> using On = Object;
using Default = asio::deferred_t;
#include "api_operations.hpp"

static_assert(std::same_as<Client::executor_type, asio::any_io_executor>);
} // namespace plain

// Objects as asio::as_tuple(asio::use_awaitable).as_default_on(object) makes them.
namespace rebound {
using Default = asio::as_tuple_t<asio::use_awaitable_t<>>;
template <typename Object> using On = Default::as_default_on_t<Object>;
#include "api_operations.hpp"

static_assert(std::same_as<decltype(Default::as_default_on(some<InterProcessMutex>())), On<InterProcessMutex>>);
static_assert(std::constructible_from<On<Client>, ClientConfig> && std::constructible_from<Client, On<Client>>);
static_assert(std::constructible_from<asio::use_awaitable_t<>::as_default_on_t<On<Client>>, On<Client>>);
} // namespace rebound

int main() {
    std::cout << "api_table: " << calls.size() << " calls are linked\n";
}
