// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/any_io_executor.hpp>

namespace docent::detail {

namespace asio = boost::asio;

/// The executor for handlers of calls without a usable client: Asio's system executor. In a child of the process that loaded
/// this library, the system executor's threads may be missing; there it is a thread that begins with the first call of this
/// function and never ends. Throws std::system_error if that thread cannot be started.
asio::any_io_executor spare_executor();

} // namespace docent::detail
