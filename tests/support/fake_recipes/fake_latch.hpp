// SPDX-License-Identifier: Apache-2.0
#pragma once

// Leader latches on clients in memory.

#include "fake_world.hpp"
#include "leader/latch_core.hpp"

#include <memory>
#include <string>

namespace docent::detail {

inline constexpr const char* election_path = "/lead";

inline std::shared_ptr<LatchCore> make_fake_latch(FakeWorld& world, std::size_t client, const std::string& id,
                                                  WhenLost when_lost = WhenLost::enter_again, LeaseTerms terms = {}) {
    terms.node_data = id;
    return std::make_shared<LatchCore>(world.share(client), election_path, LatchOptions{id, when_lost}, terms,
                                       [view = world.share(client)] { return view->boot_now(); });
}

} // namespace docent::detail
