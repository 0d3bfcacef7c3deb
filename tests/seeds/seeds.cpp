// SPDX-License-Identifier: Apache-2.0

// seeds [--count N] [--from N] [--processes N] [--seed N]... [--kept FILE]

#include "run.hpp"
#include "walk.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace docent::seeds;

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
