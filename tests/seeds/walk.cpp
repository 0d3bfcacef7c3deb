// SPDX-License-Identifier: Apache-2.0
#include "walk.hpp"

#include "processes/shared_by_processes.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iomanip>
#include <limits>
#include <memory>
#include <system_error>
#include <vector>

namespace docent::seeds {
namespace {

constexpr std::size_t most_processes = 64;
constexpr auto none = std::numeric_limits<std::uint64_t>::max();

/// Shared by the processes of a walk.
struct Board {
    std::array<Figures, recipe_count> figures[most_processes];
    std::array<std::uint64_t, recipe_count> schedules[most_processes];
    std::atomic<std::uint64_t> at[most_processes];
    std::atomic<std::uint64_t> bad_seed{none};

    void note_bad(std::uint64_t seed) {
        auto lowest = bad_seed.load();
        while (seed < lowest && !bad_seed.compare_exchange_weak(lowest, seed)) {
        }
    }
};

void add(Figures& sum, const Figures& one) {
    sum.steps += one.steps;
    sum.faults += one.faults;
    sum.grants += one.grants;
    sum.entries += one.entries;
}

void walk_some(Board& board, const Range& range, std::size_t own, std::size_t processes) {
    for (std::uint64_t seed = range.first + own; seed < range.first + range.count; seed += processes) {
        if (seed > board.bad_seed) return;
        board.at[own] = seed;
        Run run(seed);
        if (!run.run().empty()) return board.note_bad(seed);
        add(board.figures[own][recipe_of(seed)], run.figures());
        ++board.schedules[own][recipe_of(seed)];
    }
}

} // namespace

Findings walk(const Range& range) {
    const auto begin = std::chrono::steady_clock::now();
    const auto processes = std::clamp<std::size_t>(range.processes, 1, most_processes);
    const auto board = test::make_shared_by_processes<Board>();
    std::vector<pid_t> children;
    for (std::size_t n = 0; n < processes; ++n) {
        const pid_t child = ::fork();
        if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (child == 0) {
            walk_some(*board, range, n, processes);
            ::_exit(0);
        }
        children.push_back(child);
    }
    Findings found;
    for (std::size_t n = 0; n < processes; ++n) {
        int status = 0;
        if (::waitpid(children[n], &status, 0) == children[n] && status == 0) continue;
        found.crashed = found.crashed || board->at[n] < board->bad_seed;
        board->note_bad(board->at[n]);
    }
    for (std::size_t recipe = 0; recipe < recipe_count; ++recipe) {
        for (std::size_t n = 0; n < processes; ++n) {
            add(found.figures[recipe], board->figures[n][recipe]);
            found.schedules[recipe] += board->schedules[n][recipe];
        }
    }
    if (board->bad_seed != none) found.bad_seed = board->bad_seed;
    found.time = std::chrono::steady_clock::now() - begin;
    return found;
}

void print(std::ostream& out, const Range& range, const Findings& found) {
    const auto line = [&](const std::string& name, std::uint64_t schedules, const Figures& figures) {
        out << std::left << std::setw(28) << name << std::right << std::setw(8) << schedules << " schedules" << std::setw(11)
            << figures.steps << " steps" << std::setw(9) << figures.faults << " faults" << std::setw(9) << figures.grants
            << " grants" << std::setw(8) << figures.entries << " transactions\n";
    };
    Figures sum;
    std::uint64_t schedules = 0;
    for (std::size_t recipe = 0; recipe < recipe_count; ++recipe) {
        line(recipe_name(recipe), found.schedules[recipe], found.figures[recipe]);
        add(sum, found.figures[recipe]);
        schedules += found.schedules[recipe];
    }
    line("seeds from " + std::to_string(range.first), schedules, sum);
    out << std::fixed << std::setprecision(1) << found.time.count() << " s" << std::endl;
}

} // namespace docent::seeds
