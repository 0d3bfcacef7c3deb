// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/given.hpp"

#include "cli/arguments/usage_error.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <utility>

namespace docent::cli {

Given::Given(std::string command, Arguments arguments, const Environment& environment)
    : command_(std::move(command)), arguments_(std::move(arguments)), environment_(environment) {}

void Given::fail(const std::string& what) const {
    throw UsageError(command_ + ": " + what + " (see: docent " + command_ + " --help)");
}

bool Given::has(std::string_view option) const {
    const auto& options = arguments_.options;
    return std::any_of(options.begin(), options.end(), [&](const GivenOption& o) { return o.name == option; });
}

std::optional<std::string> Given::value(std::string_view option) const {
    std::optional<std::string> last;
    for (const auto& given : arguments_.options) {
        if (given.name == option) last = given.value;
    }
    return last;
}

std::optional<milliseconds> Given::duration(std::string_view option) const {
    const auto text = value(option);
    if (!text) return std::nullopt;
    const auto result = parse_duration(*text);
    if (!result) fail("'" + *text + "' is not a duration for " + std::string(option) + ", such as 500ms, 5s or 2m");
    return result;
}

Connection Given::connection() const {
    Connection result;
    const auto from_environment = environment_.find("DOCENT_CONNECT");
    if (from_environment != environment_.end() && !from_environment->second.empty()) {
        result.connect_string = from_environment->second;
    }
    result.connect_string = value("--connect").value_or(result.connect_string);
    result.session_timeout = duration("--session-timeout").value_or(result.session_timeout);
    if (result.session_timeout < std::chrono::seconds{1}) fail("--session-timeout must be at least 1s");
    result.name_space = value("--namespace").value_or("");
    if (!result.name_space.empty() && check_path("/" + result.name_space)) {
        fail("'" + result.name_space + "' is not a valid namespace, such as app or teams/app");
    }
    result.auth = auth();
    return result;
}

std::vector<AuthInfo> Given::auth() const {
    std::vector<AuthInfo> result;
    for (const auto& given : arguments_.options) {
        if (given.name != "--auth") continue;
        const auto colon = given.value.find(':');
        if (colon == 0 || colon == std::string::npos) {
            fail("the value of --auth is SCHEME:CREDENTIALS, such as digest:user:password"); // not shown: it may be secret
        }
        result.push_back({given.value.substr(0, colon), given.value.substr(colon + 1)});
    }
    return result;
}

void Given::expect_positionals(std::size_t at_least, std::initializer_list<std::string_view> names) const {
    const auto count = arguments_.positionals.size();
    if (count < at_least) fail(std::string(names.begin()[count]) + " is missing");
    if (count > names.size()) fail("unexpected argument '" + arguments_.positionals[names.size()] + "'");
}

std::string Given::path() const {
    const std::string& text = arguments_.positionals.front();
    if (auto fault = explain_path(text); !fault.empty()) fail(fault);
    return text;
}

DataSource Given::data() const {
    if (arguments_.positionals.size() < 2) return std::string{};
    if (arguments_.positionals[1] == "-") return StandardInput{};
    return arguments_.positionals[1];
}

std::vector<std::string> Given::program() const {
    auto words = arguments_.after_dashes.value_or(std::vector<std::string>{});
    if (words.empty()) fail("the command to run is missing: PATH -- CMD...");
    return words;
}

} // namespace docent::cli
