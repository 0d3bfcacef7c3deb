// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "fake_client.hpp"

#include <optional>
#include <string>

namespace docent::explorer {

/// All that an operation knows, as long as nothing that it asked for is still to be answered; nothing for operations that
/// nobody has described here.
std::optional<std::string> peek(const detail::Operation& operation);
/// Of a client: the removals that it owes, and its timers.
std::string peek(const detail::FakeClient& client);

} // namespace docent::explorer
