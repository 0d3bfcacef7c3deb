// SPDX-License-Identifier: Apache-2.0

// explorer [--faults N] [--world PART-OF-NAME] [--seconds N] [--processes N] [--slots LOG2] [--check ONE-IN] [--replay]
// [--all-orders] [--without REDUCTION] [--long] [--list]

#include "search.hpp"

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using namespace docent::explorer;

struct Options {
    Bounds bounds;
    std::string world;
    bool lists = false;
    bool long_run = false;
    std::uint64_t check = 0; // compare one of so many states that are reached again; 0: none
};

const std::map<std::string_view, bool Reductions::*> reductions = {
    {"orders", &Reductions::orders},     {"hearing", &Reductions::hearing},       {"beats", &Reductions::beats},
    {"stalls", &Reductions::stalls},     {"forgetting", &Reductions::forgetting}, {"connects", &Reductions::connects},
    {"releases", &Reductions::releases}, {"dooms", &Reductions::dooms},           {"news", &Reductions::news},
    {"watches", &Reductions::watches},   {"places", &Reductions::places},         {"removals", &Reductions::removals},
    {"knowing", &Reductions::knowing},
};

Options read_options(int argc, char** argv) {
    Options options;
    for (int n = 1; n < argc; ++n) {
        const std::string_view name = argv[n];
        const auto value = [&]() -> std::string {
            if (n + 1 == argc) throw std::invalid_argument(std::string(name) + " needs a value");
            return argv[++n];
        };
        if (name == "--list") options.lists = true;
        else if (name == "--long") options.long_run = true;
        else if (name == "--replay") options.bounds.saves = false;
        else if (name == "--all-orders") {
            for (const auto& [each, member] : reductions) options.bounds.reductions.*member = false;
        } else if (name == "--without") {
            const auto left_out = reductions.find(value());
            if (left_out == reductions.end()) throw std::invalid_argument(std::string("unknown reduction ") + argv[n]);
            options.bounds.reductions.*left_out->second = false;
        } else if (name == "--faults") options.bounds.faults = std::stoul(value());
        else if (name == "--slots") options.bounds.slots = std::size_t{1} << std::stoul(value());
        else if (name == "--seconds") options.bounds.time = std::chrono::seconds{std::stol(value())};
        else if (name == "--processes") options.bounds.processes = std::stoul(value());
        else if (name == "--check") options.check = std::stoul(value());
        else if (name == "--world") options.world = value();
        else throw std::invalid_argument("unknown option " + std::string(name));
    }
    return options;
}

/// `world`: a part of the name, or "=" and the whole name.
bool is_meant(const std::string& name, const std::string& world) {
    return world.starts_with('=') ? name == world.substr(1) : name.find(world) != std::string::npos;
}

/// Returns false if there is a violation, or if the search was not complete.
bool explore(const Plan& plan, const Bounds& bounds) {
    const Findings found = search(plan, bounds);
    std::cout << std::left << std::setw(58) << plan.name << std::right << " faults " << bounds.faults << "  states "
              << std::setw(9) << found.states << "  transitions " << std::setw(9) << found.transitions << "  ends "
              << std::setw(8) << found.ends << "  depth " << std::setw(3) << found.depth << std::fixed << std::setprecision(1)
              << "  " << std::setw(6) << found.time.count() << " s" << std::endl;
    if (!found.unfinished.empty()) std::cout << "    INCOMPLETE: " << found.unfinished << std::endl;
    if (found.violation.empty()) return found.unfinished.empty();
    std::cout << "    VIOLATION: " << found.violation << "\n";
    for (std::size_t n = 0; n < found.story.size(); ++n) std::cout << std::setw(8) << n + 1 << "  " << found.story[n] << "\n";
    std::cout << std::flush;
    return false;
}

/// Returns false if two states with the same picture differ, or if the search was not complete.
bool check(const Plan& plan, const Options& options) {
    const Comparison seen = compare_pictures(plan, options.bounds, options.check);
    std::cout << std::left << std::setw(58) << plan.name << std::right << " faults " << options.bounds.faults << "  states "
              << std::setw(9) << seen.states << "  compared " << std::setw(9) << seen.compared << std::endl;
    if (!seen.unfinished.empty()) std::cout << "    INCOMPLETE: " << seen.unfinished << std::endl;
    if (!seen.difference.empty()) std::cout << "    LOOK ALIKE, AND ARE NOT:\n" << seen.difference << std::flush;
    return seen.difference.empty() && seen.unfinished.empty();
}

/// Searches the worlds of --long. Returns false as explore() does.
bool explore_long_run(const Bounds& bounds) {
    bool good = true;
    const auto begin = std::chrono::steady_clock::now();
    for (const auto& name : worlds_of_a_long_run()) {
        for (const Plan& plan : all_worlds()) {
            if (plan.name == name) good = explore(plan, bounds) && good;
        }
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    std::cout << "the long run: " << worlds_of_a_long_run().size() << " worlds, " << time.count() << " s" << std::endl;
    return good;
}

} // namespace

int main(int argc, char** argv) try {
    const Options options = read_options(argc, argv);
    bool good = !options.long_run || explore_long_run(options.bounds);
    for (const Plan& plan : all_worlds()) {
        if (options.long_run) break;
        if (!is_meant(plan.name, options.world)) continue;
        if (options.lists) std::cout << plan.name << "\n";
        else if (options.check > 0) good = check(plan, options) && good;
        else good = explore(plan, options.bounds) && good;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
}
