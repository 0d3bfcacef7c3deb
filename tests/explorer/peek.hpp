// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "fake_client.hpp"
#include "lease/lease_core.hpp"

#include <optional>
#include <string>

namespace docent::explorer {

/// All that an operation knows, as long as nothing that it asked for is still to be answered; nothing for operations that
/// nobody has described here.
std::optional<std::string> peek(const detail::Operation& operation);
std::string peek(const detail::LeaseCore& lease);
/// Of a client: the removals that it owes, and the nodes that it knows to be its own.
std::string peek(const detail::FakeClient& client);
/// How far the follower is behind what the client has seen, or will have when it has heard all (null: the follower does not
/// matter), and which of its watches have missed something.
std::string peek_behind(const detail::FakeClient& client, const detail::FakeTree* follower);

} // namespace docent::explorer
