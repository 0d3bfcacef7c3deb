// SPDX-License-Identifier: Apache-2.0
#include "barrier/double_barrier_rules.hpp"

namespace docent::detail {

EnteringStep next_entering(const EnteringView& seen, std::size_t wanted) {
    if (seen.own == 0) return OwnNodeGone{};
    if (seen.ready == 0) return seen.members >= wanted ? EnteringStep(MakeReady{}) : EnteringStep(AwaitReady{});
    if (seen.own < seen.ready) return GoIn{};
    if (!seen.oldest_other) return LookAtOthers{};
    const bool some_are_inside = *seen.oldest_other != 0 && *seen.oldest_other < seen.ready;
    return some_are_inside ? EnteringStep(GoIn{}) : EnteringStep(RemoveStaleReady{});
}

LeavingStep next_leaving(const LeavingView& seen) {
    if (seen.others.empty()) return seen.own_is_there ? LeavingStep(RemoveOwnAndReady{}) : LeavingStep(AllHaveLeft{});
    if (!seen.own_is_there && seen.lost && !seen.ready) return LookForReady{};
    if (!seen.own_is_there && seen.lost && !*seen.ready) return AllHaveLeft{};
    if (!seen.own_is_there) return AwaitRemoval{seen.others.front()};
    if (seen.own < seen.others.front()) return AwaitRemoval{seen.others.back()};
    return RemoveOwn{};
}

} // namespace docent::detail
