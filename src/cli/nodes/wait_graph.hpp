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

/// One who waits, for another one.
struct Wait {
    std::string lock;
    Participant waiter;
    Participant ahead; // who must go first
    friend bool operator==(const Wait&, const Wait&) = default;
};

/// What tells that the one who holds waits elsewhere, and does not give back before.
enum class Tie {
    owner,   // both have the same owner, or the waiter's is below the holder's: certainly
    session, // or they are of one session, and not of two owners: possibly, for it may have several threads
};

/// What was there at the first look and at the second one. A node that has gone never comes back, so all of it was there at
/// once, at any moment between the looks. Without those who wait for permits, where one has come back meanwhile.
std::vector<LockState> in_both(const std::vector<LockState>& first, const std::vector<LockState>& second);

/// The waits of those who cannot go on before another one of them does: each waits for one who waits as well, or who holds and
/// is tied to one who does; in a semaphore for permits that are all held by such. Of others' waits nothing is said, and of
/// those who wait in front of somebody only the nearest one. By their session alone nobody waits for himself: two of its
/// threads may.
std::vector<Wait> stuck_waits(const std::vector<LockState>& locks, Tie tie);

/// A shortest circle of each group of those who wait for each other; every wait is for one who is, or is tied to, who has the
/// next one.
std::vector<std::vector<Wait>> circles(const std::vector<Wait>& waits, Tie tie);

/// Whether `one` is, or belongs to, a program that `holder` runs while it holds, as their owners tell.
bool is_run_by(const Participant& one, const Participant& holder);

struct Deadlock {
    std::vector<Wait> circle;
    bool certain = false; // by owners
};

/// First those that are certain. Who is in one of these is in no possible one.
std::vector<Deadlock> find_deadlocks(const std::vector<LockState>& locks);

} // namespace docent::cli
