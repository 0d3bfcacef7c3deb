// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/label.hpp"

#include <array>
#include <climits>
#include <cstdlib>

#include <unistd.h>

namespace docent::cli {
namespace {

/// As the login has it: to ask for names may mean to ask the network.
std::string user_name() {
    for (const char* variable : {"LOGNAME", "USER"}) {
        const char* const name = std::getenv(variable);
        if (name != nullptr && *name != '\0') return name;
    }
    return "uid" + std::to_string(::geteuid());
}

constexpr std::size_t longest_name = 200; // of a user, or of a program

} // namespace

std::string machine_name() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    return ::gethostname(name.data(), name.size()) == 0 ? name.data() : "unknown";
}

std::string label_of(const HoldRequest& request) {
    if (request.label) return *request.label;
    std::string label = user_name().substr(0, longest_name) + "@" + machine_name() + ":" + std::to_string(::getpid());
    if (!request.program.empty()) {
        const std::string& program = request.program.front();
        label += " " + program.substr(program.rfind('/') + 1).substr(0, longest_name); // npos + 1 is 0
    }
    return label;
}

} // namespace docent::cli
