// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/any_io_executor.hpp>

namespace docent::detail {

namespace asio = boost::asio;

/// Where handlers of calls are called that have no client which could call them: Asio's system executor; in a child of the
/// process that has loaded this library, where the threads of that may be missing, a thread that begins with the first call
/// of this and never ends. Throws std::system_error if it cannot be started.
asio::any_io_executor spare_executor();

} // namespace docent::detail
