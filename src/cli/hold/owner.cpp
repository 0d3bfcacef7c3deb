// SPDX-License-Identifier: Apache-2.0

#include "cli/hold/owner.hpp"
#include "cli/arguments/values.hpp"
#include "cli/view/shown.hpp"

#include <docent/recipes/inspection.hpp>

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

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

constexpr std::size_t longest_owner = 200; // the limit of LockOptions::owner

/// A random number of 48 bits, enough for the programs that hold locks at a time.
std::string random_id() {
    std::random_device device;
    const std::uint64_t number = (std::uint64_t{device()} << 32 | device()) >> 16;
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%012llx", static_cast<unsigned long long>(number));
    return text.data();
}

std::string_view inherited_owner() {
    const char* const inherited = std::getenv(owner_variable);
    return inherited != nullptr ? inherited : "";
}

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

std::optional<std::string> owner_below(std::string_view inherited, std::string_view own) {
    const auto is_graphic = [](char c) { return c > 0x20 && c < 0x7f; };
    if (inherited.empty()) return std::string(own);
    const bool can_be = std::all_of(inherited.begin(), inherited.end(), is_graphic);
    if (!can_be || inherited.size() + 1 + own.size() > longest_owner) return std::nullopt;
    return std::string(inherited) + "/" + std::string(own);
}

bool is_below_a_holder() {
    return !inherited_owner().empty();
}

std::string with_marks(std::string number, const OwnerMarks& marks) {
    if (marks.permits) number += ":n" + std::to_string(*marks.permits);
    if (marks.revocable) number += ":r";
    return number;
}

OwnerMarks marks_of(std::string_view owner) {
    OwnerMarks marks;
    owner.remove_prefix(owner.rfind('/') + 1); // npos + 1 is 0
    for (auto at = owner.find(':'); at != owner.npos; at = owner.find(':', at + 1)) {
        const std::string_view mark = owner.substr(at + 1, owner.find(':', at + 1) - at - 1);
        std::int32_t number = 0;
        if (mark == "r") marks.revocable = true;
        if (mark.starts_with('n') && parse_number(mark.substr(1), number) && number > 0) marks.permits = number;
    }
    return marks;
}

std::string with_request(const std::string& data) {
    if (was_asked_for(data)) return data;
    return std::string(revocation_request) + (data.empty() ? "" : "\n" + data);
}

bool is_known_to_listen(const std::string& data) {
    return data.empty() || data == revocation_request || marks_of(split_owner(data).owner).revocable;
}

std::optional<std::string> own_owner(const OwnerMarks& marks) {
    static const std::string number = random_id();
    return owner_below(inherited_owner(), with_marks(number, marks));
}

std::string other_limit_text(const std::string& path, std::int32_t permits, const std::string& data) {
    const OwnedData node = split_owner(data);
    const auto theirs = marks_of(node.owner).permits;
    if (!theirs || *theirs == permits) return {};
    const std::string label(without_request(node.data));
    return "semaphore " + path + ": --permits is " + std::to_string(permits) + " here, but " + std::to_string(*theirs) +
           " for " + (label.empty() ? "a holder without a label" : label) + "; all users of a path must give the same number";
}

} // namespace docent::cli
