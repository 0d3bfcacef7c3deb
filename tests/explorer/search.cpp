// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include "choices.hpp"
#include "memory/arena.hpp"
#include "processes/shared_by_processes.hpp"
#include "visited.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <random>
#include <utility>

namespace docent::explorer {
namespace {

using Clock = std::chrono::steady_clock;

enum class Stop { no, violation, time, steps, full, broken };

/// Shared by the searching processes.
struct Board {
    std::atomic<std::uint64_t> states, transitions, ends, depth;
    std::atomic<Stop> stop;
    std::atomic<std::size_t> story_length; // in choices
    Choices::Choice story[4096];
    bool reversed;

    void stop_for(Stop why) {
        Stop none = Stop::no;
        stop.compare_exchange_strong(none, why);
    }
};

class Searcher {
public:
    Searcher(const Plan& plan, const Bounds& bounds, Visited& visited, Board& board, bool reversed)
        : plan_(plan), bounds_(bounds), visited_(visited), board_(board), reversed_(reversed), choices_(reversed),
          end_(Clock::now() + bounds.time) {}

    /// Searches paths of at most `longest` steps.
    void run(std::size_t longest) {
        longest_ = longest;
        if (bounds_.saves && arena::is_available()) {
            choices_.reserve(std::size(board_.story)); // outside of the arena, because restore() must not undo it
            places_.resize(bounds_.steps + 1);
            warm_up();
            const arena::Scope all_of_the_world(arena::Scope::Allocations::inside);
            auto& world = *new World(plan_, bounds_, choices_); // never deleted: restore() resets it
            run([&] { return walk(world, true); });
        } else {
            run([&] { return walk(*std::make_unique<World>(plan_, bounds_, choices_), false); });
        }
    }

private:
    struct World : SmallWorld {
        World(const Plan& plan, const Bounds& bounds, Choices& choices)
            : SmallWorld(
                  plan, bounds.faults, [&choices](std::size_t bound) { return choices.choose(bound); }, bounds.reductions) {}
    };
    /// A state on the present path that was saved because it has more than one next step.
    struct Place {
        std::size_t chosen = 0;
        std::size_t depth = 0;
        arena::Saved world;
        std::vector<Step> steps;
    };

    void run(const auto& walk_on) {
        constexpr int between_looks = 256;
        int walks = 0;
        do {
            choices_.begin_again();
            if (const auto violation = walk_on(); !violation.empty()) report();
            if (++walks % between_looks == 0 && Clock::now() > end_) board_.stop_for(Stop::time);
        } while (board_.stop == Stop::no && choices_.advance());
        board_.states += states_;
        board_.transitions += transitions_;
    }

    /// Creates objects of the kind that is made once, on first use: they must not lie in the arena.
    void warm_up() const {
        std::mt19937_64 random(1);
        for (int n = 0; n < 30; ++n) {
            SmallWorld world(
                plan_, bounds_.faults, [&random](std::size_t bound) { return random() % bound; }, bounds_.reductions);
            auto steps = world.steps();
            for (std::size_t depth = 0; depth < bounds_.steps && !steps.empty(); ++depth, steps = world.steps()) {
                world.take(steps[random() % steps.size()]);
                static_cast<void>(world.fingerprint());
            }
            static_cast<void>(world.complaint_at_end());
        }
    }
    /// Restores the last saved state on the path. Returns null if the path starts at the beginning of the world.
    const Place* go_back() {
        while (place_count_ > 0 && places_[place_count_ - 1].chosen >= choices_.path().size()) --place_count_;
        if (place_count_ == 0) return nullptr;
        const Place& nearest = places_[place_count_ - 1];
        arena::restore(nearest.world);
        choices_.go_on_from(nearest.chosen);
        return &nearest;
    }
    const Place* save(std::size_t depth, std::vector<Step> steps) {
        Place& place = places_[place_count_++];
        place.chosen = choices_.position();
        place.depth = depth;
        place.steps = std::move(steps);
        arena::save(place.world);
        return &place;
    }
    static std::vector<Step> steps_of(SmallWorld& world) {
        const arena::Scope of_the_world(arena::Scope::Allocations::outside);
        return world.steps();
    }

    /// Follows the choices from the beginning, or from the last saved state, to the first state that was visited before. A
    /// state with only one next step is the same as the next state, and is not counted.
    std::string walk(World& world, bool saves) {
        const Place* place = saves ? go_back() : nullptr;
        bool is_fresh = false;
        for (std::size_t depth = place ? place->depth : 0;; ++depth) {
            if (is_fresh && !is_new(world, depth)) return {};
            std::vector<Step> listed;
            if (!place) {
                listed = steps_of(world);
                if (is_fresh && listed.size() != 1) ++states_;
                if (listed.empty()) return at_end(world);
                const bool branches = listed.size() > 1 || place_count_ == 0 || world.may_choose(listed.front());
                if (saves && branches) place = save(depth, std::move(listed));
            }
            if (depth >= longest_) return {};
            const auto& steps = place ? std::exchange(place, nullptr)->steps : listed;
            const bool old = choices_.repeats();
            world.take(steps[choices_.choose(steps.size())]);
            is_fresh = !old || !choices_.repeats();
            if (!is_fresh) continue;
            note_depth(depth + 1);
            if (auto violation = world.complaint(); !violation.empty()) return violation;
        }
    }
    void note_depth(std::size_t depth) {
        ++transitions_;
        if (depth > board_.depth) board_.depth = depth;
        if (depth == bounds_.steps) board_.stop_for(Stop::steps);
    }
    bool is_new(SmallWorld& world, std::size_t depth) {
        const arena::Scope of_the_world(arena::Scope::Allocations::outside);
        const bool wants_short = longest_ < bounds_.steps;
        const auto fingerprints = world.fingerprints_unless([&](std::uint64_t as_it_is) {
            return std::exchange(recent_[as_it_is % recent_.size()], as_it_is) == as_it_is && !wants_short;
        });
        if (!fingerprints) return false;
        const auto& [present, stricter] = *fingerprints;
        if (stricter && visited_.contains(*stricter)) return false;
        switch (visited_.insert(present, depth)) {
        case Visited::Answer::seen: return false;
        case Visited::Answer::shorter: return wants_short;
        case Visited::Answer::full: board_.stop_for(Stop::full); return false;
        case Visited::Answer::fresh: break;
        }
        return true;
    }
    std::string at_end(SmallWorld& world) {
        if (world.is_redundant()) return {};
        count_end(world);
        return world.complaint_at_end();
    }
    /// Counts each end once, also if an administrator's deletion excuses anything there. So every order has the same count.
    void count_end(SmallWorld& world) {
        constexpr std::uint64_t of_ends = 0x5bd1e9955bd1e995u;
        const arena::Scope of_the_world(arena::Scope::Allocations::outside);
        const auto [present, stricter] = world.fingerprints();
        const auto end = stricter.value_or(present) ^ of_ends;
        if (visited_.insert(end, 1) == Visited::Answer::fresh) ++board_.ends;
    }
    void report() {
        Stop none = Stop::no;
        if (!board_.stop.compare_exchange_strong(none, Stop::violation)) return;
        const auto& path = choices_.path();
        const auto length = std::min(path.size(), std::size(board_.story));
        std::copy_n(path.begin(), length, board_.story);
        board_.reversed = reversed_;
        board_.story_length = length;
    }

    const Plan& plan_;
    const Bounds& bounds_;
    Visited& visited_;
    Board& board_;
    const bool reversed_;
    Choices choices_;
    std::vector<Place> places_;
    std::size_t place_count_ = 0;
    std::size_t longest_ = 0;
    std::vector<std::uint64_t> recent_ = std::vector<std::uint64_t>(std::size_t{1} << 20); // fingerprints with actual names
    std::uint64_t states_ = 0;
    std::uint64_t transitions_ = 0;
    const Clock::time_point end_;
};

/// Searches with several processes, which share their visited states.
test::SharedByProcesses<Board> search_together(const Plan& plan, const Bounds& bounds, std::size_t longest, Visited& visited) {
    auto board = test::make_shared_by_processes<Board>();
    const auto ended_well = test::run_in_processes(
        bounds.processes, [&](std::size_t n) { Searcher(plan, bounds, visited, *board, n % 2 == 1).run(longest); });
    if (std::find(ended_well.begin(), ended_well.end(), false) != ended_well.end()) board->stop_for(Stop::broken);
    return board;
}

struct Story {
    std::string violation;
    std::vector<std::string> lines;
};

Story told(const Plan& plan, const Bounds& bounds, const Board& board) {
    Choices choices(board.reversed);
    choices.repeat({board.story, board.story + board.story_length});
    SmallWorld world(
        plan, bounds.faults, [&](std::size_t bound) { return choices.choose(bound); }, bounds.reductions);
    Story story;
    while (story.violation.empty()) {
        const auto steps = world.steps();
        if (steps.empty()) {
            story.violation = world.complaint_at_end();
            break;
        }
        if (!choices.repeats()) break;
        const auto& step = steps[choices.choose(steps.size())];
        story.lines.push_back(world.text_of(step));
        world.take(step);
        story.violation = world.complaint();
    }
    return story;
}

std::string reason(Stop stop, const Bounds& bounds) {
    switch (stop) {
    case Stop::time: return "time is over";
    case Stop::steps: return "a story is longer than " + std::to_string(bounds.steps) + " steps";
    case Stop::full: return "the table of states is full";
    case Stop::broken: return "a searching process ended badly";
    case Stop::no:
    case Stop::violation: break;
    }
    return {};
}

/// Looks for shorter paths for a while.
Story shortened(const Plan& plan, const Bounds& bounds, Story story) {
    Bounds less = bounds;
    less.time = std::chrono::seconds{20};
    const auto give_up = Clock::now() + std::chrono::seconds{60};
    for (std::size_t faults = 0; faults <= bounds.faults && Clock::now() < give_up; ++faults) {
        less.faults = faults;
        while (Clock::now() < give_up) {
            Visited visited(bounds.slots);
            const auto shorter = search_together(plan, less, story.lines.size() - 1, visited);
            if (shorter->stop != Stop::violation) break;
            story = told(plan, less, *shorter);
        }
    }
    return story;
}

} // namespace

Findings search(const Plan& plan, const Bounds& bounds) {
    const auto begin = Clock::now();
    Findings found;
    Visited visited(bounds.slots);
    Bounds part = bounds;
    for (part.faults = 0; part.faults <= bounds.faults && found.violation.empty() && found.unfinished.empty(); ++part.faults) {
        part.time = bounds.time - std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
        const auto board = search_together(plan, part, bounds.steps, visited);
        found.states += board->states;
        found.transitions += board->transitions;
        found.ends += board->ends;
        found.depth = std::max<std::size_t>(found.depth, board->depth);
        found.time = Clock::now() - begin;
        found.unfinished = reason(board->stop, bounds);
        if (board->stop != Stop::violation) continue;
        const auto story = shortened(plan, part, told(plan, part, *board));
        found.violation = story.violation;
        found.story = story.lines;
    }
    return found;
}

} // namespace docent::explorer
