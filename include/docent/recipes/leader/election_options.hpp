// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace docent {

/// Short name for Boost.Asio.
namespace asio = boost::asio;

/// How a latch goes on after it has lost its leadership.
/// @ingroup elections
enum class WhenLost {
    /// The node is removed, and the latch enters the election again at once.
    enter_again,
    /// The node stays until resign() or close(), if its session lives; only then the latch enters
    /// again.
    ///
    /// No other participant leads while the work of the lost leadership ends.
    keep_node,
};

/// The options of a LeaderLatch.
///
/// ```cpp
/// docent::LatchOptions options{.id = "scheduler-2", .when_lost = docent::WhenLost::keep_node};
/// ```
/// @ingroup elections
struct LatchOptions {
    /// The name of this participant, which the others see: the data of its node.
    ///
    /// Compressed as `ClientConfig::compression` says.
    std::string id = {};
    /// How the latch goes on after a loss.
    WhenLost when_lost = WhenLost::enter_again;
    /// The longest time of a leadership, see LockOptions::max_hold. Its end counts as a loss.
    std::optional<std::chrono::milliseconds> max_hold = {};
    /// The name of the election in traces and metrics, see LockOptions::label.
    std::string label = {};
};

/// The options of a LeaderSelector.
///
/// ```cpp
/// docent::SelectorOptions options{.id = "worker-3", .auto_requeue = true, .max_hold = 10min};
/// ```
/// @ingroup elections
struct SelectorOptions {
    /// The name of this participant, which the others see: the data of its node. Empty:
    /// `ClientConfig::default_data`.
    ///
    /// Compressed as `ClientConfig::compression` says.
    std::string id = {};
    /// Whether the selector enters the election again each time the work has ended, as by
    /// requeue().
    bool auto_requeue = false;
    /// The longest time of a leadership, see LockOptions::max_hold. Then the work is asked to stop,
    /// as after a loss.
    std::optional<std::chrono::milliseconds> max_hold = {};
    /// The name of the election in traces and metrics, see LockOptions::label.
    std::string label = {};
    /// The executor of the work; it must outlive the work.
    ///
    /// Without it, a function runs on a thread of the selector, which starts with the first
    /// leadership. A coroutine runs on the client's executor.
    asio::any_io_executor executor = {};
    /// Called with each exception of the work, where the work ran, before the leadership is given
    /// up.
    ///
    /// It is also called with an Error if the selector cannot enter the election, on `executor` or
    /// the client's executor. The selector tries again after 1 s. Without this function, an
    /// exception of the work leaves through `run()` of the executor. If the work has a thread of
    /// the selector, the exception ends the program.
    std::function<void(std::exception_ptr)> on_failure = {};
};

} // namespace docent
