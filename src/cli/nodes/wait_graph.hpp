// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds deadlocks over several locks, by the nodes of holders and waiters. Pure.

#include <docent/recipes/inspection.hpp>

#include <string>
#include <vector>

namespace docent::cli {

/// The participants at a path, at the time of a look.
struct LockState {
    std::string path;
    std::vector<Participant> participants;
};

/// A waiter, and the participant that it waits for.
struct Wait {
    std::string lock;
    Participant waiter;
    Participant ahead; // must go first
    friend bool operator==(const Wait&, const Wait&) = default;
};

/// How a holder is known to wait elsewhere, and to release only after that.
enum class Tie {
    owner,   // certain: both have the same owner, or the waiter's owner is below the holder's
    session, // possible: as above, or both have one session, and not both an owner; it may have several threads
};

/// The participants that were there at both looks. A node that has gone never comes back, so all of them were there at every
/// moment between the looks. Leaves out waiters for permits if a permit was released in between.
std::vector<LockState> in_both(const std::vector<LockState>& first, const std::vector<LockState>& second);

/// The waits of waiters that are stuck. A stuck waiter waits for another stuck waiter, or for a holder that is tied to one. In
/// a semaphore, it waits for permits that all have such holders. Of several waiters ahead, only the nearest is returned. A
/// holder in the same session as the waiter does not make it stuck, unless both have owners: the session may have two threads.
std::vector<Wait> stuck_waits(const std::vector<LockState>& locks, Tie tie);

/// Cycles of waiters that wait for each other. No two cycles have a common waiter, and each is the shortest one through one of
/// its waiters. Each wait is for the waiter of the next wait, or for a holder that is tied to it.
std::vector<std::vector<Wait>> cycles(const std::vector<Wait>& waits, Tie tie);

/// Whether, by their owners, `one` belongs to a program that `holder` runs while it holds.
bool is_run_by(const Participant& one, const Participant& holder);

struct Deadlock {
    std::vector<Wait> cycle;
    bool certain = false; // found by owners
};

/// Finds deadlocks, the certain ones first. A waiter of a certain deadlock is not in a possible one.
std::vector<Deadlock> find_deadlocks(const std::vector<LockState>& locks);

} // namespace docent::cli
