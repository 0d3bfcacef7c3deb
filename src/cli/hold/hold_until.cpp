// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/hold_until.hpp"

#include "cli/hold/event_flag.hpp"
#include "cli/hold/supervisor.hpp"
#include "cli/hold/wait_readable.hpp"

#include <algorithm>
#include <functional>
#include <list>
#include <stop_token>

namespace docent::cli {

using namespace std::chrono_literals;

bool hold_until(std::optional<std::chrono::steady_clock::time_point> end, const HeldLeases& held, Signals& signals) {
    EventFlag lost;
    std::list<std::stop_callback<std::function<void()>>> on_lost;
    for (const auto& lease : held.leases) on_lost.emplace_back(lease->stop_token(), [&lost] { lost.raise(); });
    while (!lost.raised() && !held.asked_for->raised() && !signals.next_to_end()) {
        auto pause = std::chrono::milliseconds(1h);
        if (end) pause = std::min(pause, std::chrono::ceil<std::chrono::milliseconds>(*end - std::chrono::steady_clock::now()));
        if (pause <= 0ms) break;
        wait_readable({lost.fd(), held.asked_for->fd(), signals.fd()}, pause);
    }
    return !any_is(LeaseState::lost, held.leases);
}

std::string listed(const HeldLeases& held) {
    std::string lines;
    for (const auto& lease : held.leases) lines += lease->node_path() + " " + std::to_string(lease->fencing_token()) + "\n";
    return lines;
}

} // namespace docent::cli
