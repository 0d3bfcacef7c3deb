// SPDX-License-Identifier: Apache-2.0

// explorer [--faults N] [--world PART-OF-NAME] [--seconds N] [--processes N] [--list]

#include "search.hpp"
#include "worlds.hpp"

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>

namespace {

using namespace docent::explorer;

struct Options {
    Bounds bounds;
    std::string world;
    bool lists = false;
};

Options read_options(int argc, char** argv) {
    Options options;
    for (int n = 1; n < argc; ++n) {
        const std::string_view name = argv[n];
        if (name == "--list") {
            options.lists = true;
            continue;
        }
        if (n + 1 == argc) throw std::invalid_argument(std::string(name) + " needs a value");
        const std::string value = argv[++n];
        if (name == "--faults") options.bounds.faults = std::stoul(value);
        else if (name == "--seconds") options.bounds.time = std::chrono::seconds{std::stol(value)};
        else if (name == "--processes") options.bounds.processes = std::stoul(value);
        else if (name == "--world") options.world = value;
        else throw std::invalid_argument("unknown option " + std::string(name));
    }
    return options;
}

/// False if anything is wrong, or not all was seen.
bool explore(const Plan& plan, const Bounds& bounds) {
    const Findings found = search(plan, bounds);
    std::cout << std::left << std::setw(58) << plan.name << std::right << " faults " << bounds.faults << "  states "
              << std::setw(9) << found.states << "  transitions " << std::setw(9) << found.transitions << "  ends "
              << std::setw(8) << found.ends << "  depth " << std::setw(3) << found.depth << std::fixed << std::setprecision(1)
              << "  " << std::setw(6) << found.time.count() << " s" << std::endl;
    if (!found.unfinished.empty()) std::cout << "    NOT ALL WAS SEEN: " << found.unfinished << std::endl;
    if (found.violation.empty()) return found.unfinished.empty();
    std::cout << "    VIOLATION: " << found.violation << "\n";
    for (std::size_t n = 0; n < found.story.size(); ++n) std::cout << std::setw(8) << n + 1 << "  " << found.story[n] << "\n";
    std::cout << std::flush;
    return false;
}

} // namespace

int main(int argc, char** argv) try {
    const Options options = read_options(argc, argv);
    bool good = true;
    for (const Plan& plan : all_worlds()) {
        if (plan.name.find(options.world) == std::string::npos) continue;
        if (options.lists) std::cout << plan.name << "\n";
        else good = explore(plan, options.bounds) && good;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
}
