// SPDX-License-Identifier: Apache-2.0

// fuzz.corpus FOLDER: runs each target on each file in FOLDER/TARGET, on the whole file and on each prefix shorter than 400
// bytes.

#include "fuzz_target.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace docent::fuzz {
namespace {

std::map<std::string, Target>& targets() {
    static std::map<std::string, Target> all;
    return all;
}

constexpr std::size_t most_beginnings = 400;

int run_target(const std::string& name, Target target, const std::filesystem::path& folder) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string input{std::istreambuf_iterator<char>(in), {}};
        std::printf("%s %s\n", name.c_str(), entry.path().filename().c_str()); // after a crash, the last line names the input
        std::fflush(stdout);
        for (std::size_t size = 0; size < input.size() && size < most_beginnings; ++size) target(input.substr(0, size));
        target(input);
        ++files;
    }
    return files;
}

} // namespace

Registration::Registration(const char* name, Target target) {
    targets().emplace(name, target);
}

int run_all(const std::filesystem::path& corpus) {
    int missing = 0;
    for (const auto& [name, target] : targets()) {
        const auto folder = corpus / name;
        if (std::filesystem::is_directory(folder) && run_target(name, target, folder) > 0) continue;
        std::printf("nothing is kept for %s in %s\n", name.c_str(), folder.c_str());
        ++missing;
    }
    return missing == 0 && !targets().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace docent::fuzz

int main(int argc, char** argv) {
    if (argc == 2) return docent::fuzz::run_all(argv[1]);
    std::fputs("usage: fuzz.corpus FOLDER\n", stderr);
    return EXIT_FAILURE;
}
