// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/journal.hpp"
#include "nemesis/ground.hpp"

namespace docent::chaos {

/// Does what an administrator would where the ensemble is at fault, and writes it down (`corrupt ...`): a server whose data is
/// not that of the others, behind a sync, starts without it; an ephemeral node whose session the leader does not know is
/// deleted. False if there is nothing of this kind.
bool mend_replicas(Ground& ground, Journal& journal);

} // namespace docent::chaos
