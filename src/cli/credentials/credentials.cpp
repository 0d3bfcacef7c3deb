// SPDX-License-Identifier: Apache-2.0
#include "cli/credentials/credentials.hpp"

#include "cli/arguments/parse.hpp"
#include "posix/descriptors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include <sys/stat.h>

namespace docent::cli {

std::optional<AuthInfo> parse_auth(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
    return AuthInfo{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

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

} // namespace docent::cli
