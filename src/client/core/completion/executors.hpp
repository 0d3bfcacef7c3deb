// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can be known of an executor that a user has given.

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>

namespace docent::detail {

namespace asio = boost::asio;

/// The executor below all strands, those of Asio around the executors of `io_context` and `thread_pool`, or around an
/// `any_io_executor`.
asio::any_io_executor below_strands(asio::any_io_executor executor);

/// Whether the calling thread is one of those that run this executor; false if that cannot be known.
bool runs_in_this_thread(const asio::any_io_executor& executor);
bool is_run_by_this_thread(const asio::any_completion_executor& executor);

/// Whether what is dispatched to it from a thread that does not run it never runs in that thread.
bool is_queue(const asio::any_completion_executor& executor);

} // namespace docent::detail
