// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/recipes/lease.hpp>

#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace docent::cli {

/// Acquires what is to be held, one lease or several, within the request's time in the queue, blocking. Fails with
/// `error::not_acquired` when that has passed.
using Acquire = std::function<std::vector<Lease>(Client& client, std::stop_token stop, error_code& ec)>;

/// How messages call it.
struct HoldWords {
    std::string_view kind = "lock";
    std::string_view taken = "held by somebody else";
};

/// Acquires, runs the request's program while that is held, and returns the exit code. To be called on the main thread,
/// before any other was started.
int hold(const HoldRequest& request, const Acquire& acquire, const HoldWords& words = {});

} // namespace docent::cli
