// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starts and ends a user's work: a function or a coroutine.

#include "leader/selector_core.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>

namespace docent::detail {

/// Runs a function soon on some thread. Throws std::system_error if no thread can be started.
using RunOnThread = std::function<void(std::function<void()>)>;

/// The executor of the work. It is not a strand: the selector's core may outlive the user's execution context, and a strand
/// must not.
asio::any_io_executor executor_for(const ClientView& view, const SelectorOptions& options);

/// `threads`: of a function without an executor; without them, the function gets a separate thread.
SelectorCore::Work selector_work(const ClientView& view, LeaderSelector::Work function, const SelectorOptions& options,
                                 RunOnThread threads = nullptr);
SelectorCore::Work selector_work(const ClientView& view, LeaderSelector::CoroutineWork function,
                                 const SelectorOptions& options);

} // namespace docent::detail
