// SPDX-License-Identifier: Apache-2.0

// chaos [--seed N] [--minutes M] [--clients N] [--curators N] [--tls] [--faults KIND,...] [--session-timeout MS] [--keep DIR]
// chaos --list
// chaos --check FOLDER

#include "nemesis/nemesis.hpp"
#include "options.hpp"
#include "worker/worker.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace docent::chaos {

Options read_options(const std::vector<std::string>& words) {
    Options options;
    for (std::size_t n = 0; n < words.size();) {
        const std::string& name = words[n++];
        if (name == "--tls") {
            options.tls = true;
            continue;
        }
        if (n == words.size()) throw std::invalid_argument(name + " needs a value");
        const std::string& value = words[n++];
        if (name == "--seed") options.seed = std::stoull(value);
        else if (name == "--minutes") options.minutes = std::stod(value);
        else if (name == "--clients") options.clients = std::stoul(value);
        else if (name == "--curators") options.curators = std::stoul(value);
        else if (name == "--session-timeout") options.session_timeout = std::chrono::milliseconds{std::stol(value)};
        else if (name == "--keep") options.keep = value;
        else if (name == "--faults") {
            std::istringstream kinds(value);
            for (std::string kind; std::getline(kinds, kind, ',');) options.faults.push_back(kind);
        } else throw std::invalid_argument("unknown option " + name);
    }
    return options;
}

namespace {

int start(const std::vector<std::string>& words) {
    if (words.size() == 7 && words[0] == "worker") {
        return run_worker({.name = words[1],
                           .folder = words[2],
                           .connect = words[3],
                           .seed = std::stoull(words[4]),
                           .session_timeout = std::chrono::milliseconds{std::stol(words[5])}}); // words[6] is for Java's worker
    }
    if (words == std::vector<std::string>{"--list"}) {
        for (const std::string& kind : Nemesis::all_kinds()) std::cout << kind << '\n';
        return EXIT_SUCCESS;
    }
    if (words.size() == 2 && words[0] == "--check") return check(words[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
    return run(read_options(words), std::filesystem::read_symlink("/proc/self/exe").string()) ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace
} // namespace docent::chaos

int main(int argc, char** argv) try {
    return docent::chaos::start({argv + 1, argv + argc});
} catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return EXIT_FAILURE;
}
