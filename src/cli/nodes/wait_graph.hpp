// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who waits for whom, over several locks, as their nodes tell: decides without asking anybody.

#include <docent/recipes/inspection.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace docent::cli {

/// Who took part in the recipes at a path when it was looked at.
struct LockState {
    std::string path;
    std::vector<Participant> participants;
};

/// One session waits for another one.
struct Wait {
    std::string lock;
    Participant waiter;
    Participant ahead; // who must go first
    friend bool operator==(const Wait&, const Wait&) = default;
};

/// What was there at the first look and at the second one. A node that has gone never comes back, so all of it was there at
/// once, at any moment between the looks. Without those who wait for permits, where one has come back meanwhile.
std::vector<LockState> in_both(const std::vector<LockState>& first, const std::vector<LockState>& second);

/// The waits of those sessions that cannot go on before another one of them does: each waits for a session that is stuck
/// itself, in a semaphore for permits that are all held by such. Of other sessions' waits nothing is said. A session does not
/// wait for itself: two of its threads may.
std::vector<Wait> stuck_waits(const std::vector<LockState>& locks);

/// A shortest circle of each group of sessions that wait for each other; every wait is for the session that has the next one.
std::vector<std::vector<Wait>> circles(const std::vector<Wait>& waits);

} // namespace docent::cli
