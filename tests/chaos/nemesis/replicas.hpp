// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/journal.hpp"
#include "nemesis/ground.hpp"

namespace docent::chaos {

/// Repairs a broken ensemble as an administrator would, and records it (`corrupt ...`). A server restarts without its data if
/// that differs from the other servers' data even after a sync. An ephemeral node of a session that the leader does not know is
/// deleted. Returns false if it has found neither.
bool mend_replicas(Ground& ground, Journal& journal);

} // namespace docent::chaos
