// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"
#include "cli/arguments/parse.hpp"
#include "cli/arguments/values.hpp"

#include <docent/acl.hpp>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// Reads the arguments of one command, by the rules that all commands share. Members throw UsageError, with a text that names
/// the command and the fault.
class ArgumentReader {
public:
    ArgumentReader(std::string command, Arguments arguments);

    [[noreturn]] void fail(const std::string& what) const;

    bool has(std::string_view option) const;
    /// The option's value. If the option was given several times, the last value counts.
    std::optional<std::string> value(std::string_view option) const;
    std::optional<milliseconds> duration(std::string_view option) const;
    template <typename Number> std::optional<Number> number(std::string_view option) const;

    Connection connection() const;
    OutputFormat format() const { return has("--json") ? OutputFormat::json : OutputFormat::text; }

    std::optional<std::string> positional(std::size_t index) const;
    /// The first positional argument, which must be a valid path.
    std::string path() const;
    /// The first positional argument, which must be the path of a node. Fails for a name alone, as in docent inspect's lines
    /// for scripts.
    std::string node() const;
    /// All positional arguments but the first. They must be valid and different paths.
    std::vector<std::string> more_paths() const;
    /// The second positional argument, as data: `-` is standard input. Empty data without this argument.
    DataSource data() const;
    /// The words after `--`.
    std::vector<std::string> program() const;
    bool has_program() const { return arguments_.after_dashes.has_value(); }
    /// Parses an access control list. `what` names the argument in messages.
    Acl acl(const std::string& text, std::string_view what) const;
    /// A signal's name or number. Fails if the default action of the signal does not end a process.
    std::optional<int> signal(std::string_view option) const;

private:
    const OptionValues* find(std::string_view option) const;
    void require_path(const std::string& text) const;
    /// Where the option was given: its name, a variable, or a line of the config file.
    std::string origin(std::string_view option) const;
    void read_auth(Connection& connection) const;
    void read_tls(Connection& connection) const;

    std::string command_;
    Arguments arguments_;
};

template <typename Number> std::optional<Number> ArgumentReader::number(std::string_view option) const {
    const auto text = value(option);
    if (!text) return std::nullopt;
    Number result{};
    if (!parse_number(*text, result) || result < Number{0}) {
        fail("'" + *text + "' is not a number from 0 to " + std::to_string(std::numeric_limits<Number>::max()) + " for " +
             origin(option));
    }
    return result;
}

/// Reads a file with one SCHEME:CREDENTIALS a line. Ignores empty lines, and lines that begin with `#`. Throws UsageError,
/// which names file and line, and never shows the line.
std::vector<AuthInfo> read_auth_file(const std::string& name);

/// A warning if other users of this machine can read a file with credentials; else empty.
std::string warning_about(const std::string& file);

/// Overwrites the value of `--auth`, which every user of this machine can see in the list of processes. Words after `--` belong
/// to CMD and stay.
void hide_credentials(int argc, char** argv);

} // namespace docent::cli
