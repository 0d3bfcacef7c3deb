// SPDX-License-Identifier: Apache-2.0
#pragma once

// Examines executors that users have given.

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>

namespace docent::detail {

namespace asio = boost::asio;

/// The executor below all strands: Asio's strands of `io_context`, `thread_pool` and `any_io_executor`.
asio::any_io_executor below_strands(asio::any_io_executor executor);

/// Whether the calling thread runs this executor; false if that is not known.
bool runs_in_this_thread(const asio::any_io_executor& executor);
bool is_run_by_this_thread(const asio::any_completion_executor& executor);

/// Whether a function that is dispatched from a thread that does not run the executor never runs in that thread.
bool is_queue(const asio::any_completion_executor& executor);

} // namespace docent::detail
