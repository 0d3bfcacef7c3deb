// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/label.hpp"

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include <pwd.h>
#include <unistd.h>

namespace docent::cli {
namespace {

/// Reads the user's name from /etc/passwd only, because other ways may ask the network.
std::optional<std::string> listed_name(uid_t user) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> list(std::fopen("/etc/passwd", "re"), std::fclose);
    if (!list) return std::nullopt;
    while (const passwd* const entry = ::fgetpwent(list.get())) {
        if (entry->pw_uid == user) return entry->pw_name;
    }
    return std::nullopt;
}

/// The name from the login's variables, if there was a login. In containers there is none.
std::string user_name() {
    for (const char* variable : {"LOGNAME", "USER"}) {
        const char* const name = std::getenv(variable);
        if (name != nullptr && *name != '\0') return name;
    }
    return listed_name(::geteuid()).value_or("uid" + std::to_string(::geteuid()));
}

constexpr std::size_t longest_name = 200; // the limit for a user's or a program's name

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
