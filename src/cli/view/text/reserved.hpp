// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/inspection.hpp>

#include <algorithm>
#include <vector>

namespace docent::cli {

inline bool is_at_gate(const Participant& one) {
    return one.recipe == RecipeKind::semaphore && one.kind == ParticipantKind::lock;
}

/// Whether the participant at the gate has reserved this lease, while it waits for more permits (Participant::holds). A permit
/// that another thread of its session holds looks the same, unless owners tell the threads apart.
inline bool is_reserved(const Participant& lease, const Participant& at_gate) {
    const bool others = !lease.owner.empty() && !at_gate.owner.empty() && lease.owner != at_gate.owner;
    return lease.session_id == at_gate.session_id && lease.fencing_token > at_gate.fencing_token && !others;
}

/// The same for the first participant at the gate.
inline bool is_reserved(const Participant& one, const std::vector<Participant>& all) {
    return one.kind == ParticipantKind::lease && one.session_id != 0 &&
           std::any_of(all.begin(), all.end(), [&](const Participant& other) {
               return is_at_gate(other) && other.position == 0 && is_reserved(one, other);
           });
}

} // namespace docent::cli
