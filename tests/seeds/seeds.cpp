// SPDX-License-Identifier: Apache-2.0

// seeds [--count N] [--from N] [--processes N] [--seed N]... [--kept FILE]

#include "processes/shared_by_processes.hpp"
#include "run.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace docent::seeds;
namespace test = docent::test;

// ---- many seeds

struct Range {
    std::uint64_t first = 0;
    std::uint64_t count = 1000;
    std::size_t processes = 2;
};

struct Findings {
    std::array<Figures, recipe_count> figures{};
    std::array<std::uint64_t, recipe_count> schedules{};
    std::optional<std::uint64_t> bad_seed; // the lowest one
    bool crashed = false;                  // at that seed
    std::chrono::duration<double> time{};
};

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

/// Runs many seeds, in several processes at once.
Findings walk(const Range& range) {
    const auto begin = std::chrono::steady_clock::now();
    const auto processes = std::clamp<std::size_t>(range.processes, 1, most_processes);
    const auto board = test::make_shared_by_processes<Board>();
    const auto ended_well = test::run_in_processes(processes, [&](std::size_t n) { walk_some(*board, range, n, processes); });
    Findings found;
    for (std::size_t n = 0; n < processes; ++n) {
        if (ended_well[n]) continue;
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

// ---- the program

struct Options {
    Range range;
    std::vector<std::uint64_t> told; // print the stories of these seeds
    std::string kept;                // a file of seeds
};

Options read_options(int argc, char** argv) {
    Options options;
    for (int n = 1; n < argc; n += 2) {
        const std::string_view name = argv[n];
        if (n + 1 == argc) throw std::invalid_argument(std::string(name) + " needs a value");
        const std::string value = argv[n + 1];
        if (name == "--count") options.range.count = std::stoull(value);
        else if (name == "--from") options.range.first = std::stoull(value);
        else if (name == "--processes") options.range.processes = std::stoul(value);
        else if (name == "--seed") options.told.push_back(std::stoull(value));
        else if (name == "--kept") options.kept = value;
        else throw std::invalid_argument("unknown option " + std::string(name));
    }
    return options;
}

/// Runs a seed and prints its story. Returns false if it is wrong.
bool tell(std::uint64_t seed) {
    std::cout << "seed " << seed << ": " << setting_of(seed).recipe << std::endl;
    const auto wrong = Run(seed, &std::cout).run();
    std::cout << (wrong.empty() ? "nothing is wrong" : "WRONG: " + wrong) << std::endl;
    return wrong.empty();
}

/// Runs the seeds of a file. Each line begins with a seed; the rest is a note on its violation.
bool run_kept(const std::string& file) {
    std::ifstream lines(file);
    if (!lines) throw std::invalid_argument("cannot read " + file);
    bool good = true;
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') continue;
        const std::uint64_t seed = std::stoull(line);
        ++count;
        const auto wrong = Run(seed).run();
        if (!wrong.empty()) good = tell(seed) && false;
    }
    std::cout << count << " kept seeds\n";
    return good && count > 0;
}

bool walk_all(const Range& range, const std::string& program) {
    const Findings found = walk(range);
    print(std::cout, range, found);
    if (!found.bad_seed) return true;
    std::cout << "WRONG, again by: " << program << " --seed " << *found.bad_seed << std::endl;
    if (!found.crashed) tell(*found.bad_seed);
    return false;
}

} // namespace

int main(int argc, char** argv) try {
    const Options options = read_options(argc, argv);
    bool good = true;
    for (const auto seed : options.told) good = tell(seed) && good;
    if (!options.kept.empty()) good = run_kept(options.kept) && good;
    if (options.told.empty() && options.kept.empty()) good = walk_all(options.range, argv[0]);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
}
