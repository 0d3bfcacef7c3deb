// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/argument_reader.hpp"

#include "posix/descriptors.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

#include <sys/stat.h>

namespace docent::cli {
namespace {

/// Parses `SCHEME:CREDENTIALS`, for example `digest:user:password`. Returns nothing if the text has another form.
std::optional<AuthInfo> parse_auth(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
    return AuthInfo{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

} // namespace

std::vector<AuthInfo> read_auth_file(const std::string& name) {
    const auto text = posix::read_file(name);
    if (!text) throw UsageError("auth file " + name + ": cannot be read: " + std::strerror(errno));
    std::vector<AuthInfo> result;
    std::istringstream lines(*text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty() || line.front() == '#') continue;
        auto auth = parse_auth(line);
        if (!auth) { // do not show the line: it may be secret
            throw UsageError("auth file " + name + ": line " + std::to_string(number) +
                             " is not SCHEME:CREDENTIALS, such as digest:user:password");
        }
        result.push_back(*std::move(auth));
    }
    if (result.empty()) throw UsageError("auth file " + name + ": there are no credentials in it");
    return result;
}

std::string warning_about(const std::string& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || (status.st_mode & S_IROTH) == 0) return "";
    return "warning: everybody on this machine can read the credentials in " + file + " (to end that: chmod o-r)";
}

void hide_credentials(int argc, char** argv) {
    constexpr std::string_view option = "--auth";
    const auto hide = [](char* from) { std::fill(from, from + std::strlen(from), 'x'); };
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        const std::string_view word = argv[i];
        if (word == option && i + 1 < argc && std::string_view(argv[i + 1]) != "--") hide(argv[i + 1]);
        else if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) hide(argv[i] + option.size() + 1);
    }
}

ArgumentReader::ArgumentReader(std::string command, Arguments arguments)
    : command_(std::move(command)), arguments_(std::move(arguments)) {}

void ArgumentReader::fail(const std::string& what) const {
    throw UsageError(command_ + ": " + what + " (see: docent " + command_ + " --help)");
}

const OptionValues* ArgumentReader::find(std::string_view option) const {
    const auto found = arguments_.options.find(option);
    return found == arguments_.options.end() ? nullptr : &found->second;
}

bool ArgumentReader::has(std::string_view option) const {
    return find(option) != nullptr;
}

std::optional<std::string> ArgumentReader::value(std::string_view option) const {
    const auto* given = find(option);
    return given != nullptr ? std::optional(given->values.back()) : std::nullopt;
}

std::string ArgumentReader::origin(std::string_view option) const {
    const auto* given = find(option);
    return given != nullptr ? given->origin : std::string(option);
}

std::optional<milliseconds> ArgumentReader::duration(std::string_view option) const {
    const auto text = value(option);
    if (!text) return std::nullopt;
    const auto result = parse_duration(*text);
    if (!result)
        fail("'" + *text + "' is not a duration for " + origin(option) + ", such as 5 (seconds), 500ms, 2m, 12h or 7d");
    return result;
}

Connection ArgumentReader::connection() const {
    Connection result;
    result.connect_string = value("--connect").value_or(result.connect_string);
    if (result.connect_string.empty()) {
        fail(origin("--connect") + " is empty, and names no server; it should look like host:2181,host:2181");
    }
    result.session_timeout = duration("--session-timeout").value_or(result.session_timeout);
    if (result.session_timeout < std::chrono::seconds{1}) fail(origin("--session-timeout") + " must be at least 1s");
    if (result.session_timeout > std::chrono::hours{24}) fail(origin("--session-timeout") + " must be at most 24h");
    if (has("--relaxed-heartbeats")) result.heartbeats = Heartbeats::relaxed;
    const std::string name = value("--namespace").value_or("");
    result.name_space = name.substr(name.starts_with('/') ? 1 : 0); // as ClientConfig::name_space has it
    const bool has_comma = name.find(',') != std::string::npos;     // a chroot must not contain a comma
    if (!result.name_space.empty() && (has_comma || check_path("/" + result.name_space))) {
        fail("'" + name + "' is not a valid namespace, such as app or teams/app");
    }
    read_auth(result);
    read_tls(result);
    return result;
}

/// Takes `tls://` from the connect string, so that a chroot can be added to the rest.
void ArgumentReader::read_tls(Connection& connection) const {
    constexpr std::string_view scheme = "tls://";
    const bool has_scheme = connection.connect_string.starts_with(scheme);
    if (has_scheme) connection.connect_string.erase(0, scheme.size());
    const auto file = [this](std::string_view option) {
        const auto name = value(option);
        if (name && name->empty()) fail(origin(option) + " is empty, and names no file");
        return name.value_or("");
    };
    const TlsConfig tls{.ca_file = file("--tls-ca"), .certificate_file = file("--tls-cert"), .key_file = file("--tls-key")};
    if (has_scheme || has("--tls") || tls != TlsConfig{}) connection.tls = tls;
}

void ArgumentReader::read_auth(Connection& connection) const {
    const auto warn_about = [&](const std::string& file) {
        if (auto warning = warning_about(file); !warning.empty()) connection.warnings.push_back(std::move(warning));
    };
    if (const auto* given = find("--auth")) {
        for (const std::string& text : given->values) {
            const auto auth = parse_auth(text);
            if (!auth) { // do not show the value: it may be secret
                fail("the value of " + given->origin + " is SCHEME:CREDENTIALS, such as digest:user:password");
            }
            connection.auth.push_back(*auth);
        }
        if (!given->file.empty()) warn_about(given->file);
    }
    if (const auto* given = find("--auth-file")) {
        for (const std::string& file : given->values) {
            if (file.empty()) fail(given->origin + " is empty, and names no file");
            for (auto& auth : read_auth_file(file)) connection.auth.push_back(std::move(auth));
            warn_about(file);
        }
    }
}

std::optional<std::string> ArgumentReader::positional(std::size_t index) const {
    const auto& given = arguments_.positionals;
    return index < given.size() ? std::optional(given[index]) : std::nullopt;
}

void ArgumentReader::require_path(const std::string& text) const {
    if (auto fault = explain_path(text); !fault.empty()) fail(fault);
}

std::string ArgumentReader::node() const {
    const std::string& text = arguments_.positionals.front();
    if (!text.empty() && text.find('/') == std::string::npos) fail("'" + text + "' has no PATH in front: NODE is PATH/NAME");
    return path();
}

std::string ArgumentReader::path() const {
    require_path(arguments_.positionals.front());
    return arguments_.positionals.front();
}

std::vector<std::string> ArgumentReader::more_paths() const {
    const auto& all = arguments_.positionals;
    std::vector<std::string> more;
    for (auto at = std::next(all.begin()); at != all.end(); ++at) {
        require_path(*at);
        if (std::find(all.begin(), at, *at) != at) fail("'" + *at + "' is there twice, and would wait for itself");
        more.push_back(*at);
    }
    return more;
}

std::optional<int> ArgumentReader::signal(std::string_view option) const {
    const auto text = value(option);
    if (!text) return std::nullopt;
    const auto result = parse_signal(*text);
    if (!result)
        fail("'" + *text + "' is not a signal for " + origin(option) + " that ends a program, such as INT, TERM or 15");
    return result;
}

Acl ArgumentReader::acl(const std::string& text, std::string_view what) const {
    auto result = parse_acl(text);
    if (!result) {
        fail("'" + text + "' is not a list for " + std::string(what) +
             ", such as world:anyone:r,auth::cdrwa (SCHEME:ID:PERMISSIONS; create, delete, read, write, admin)");
    }
    return *std::move(result);
}

DataSource ArgumentReader::data() const {
    const auto text = positional(1);
    if (text == "-") return StandardInput{};
    return text.value_or("");
}

std::vector<std::string> ArgumentReader::program() const {
    auto words = arguments_.after_dashes.value_or(std::vector<std::string>{});
    if (words.empty()) fail("the command to run is missing: PATH -- CMD...");
    return words;
}

} // namespace docent::cli
