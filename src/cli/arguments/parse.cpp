// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/parse.hpp"

#include "cli/arguments/arguments.hpp"
#include "cli/arguments/command_table.hpp"
#include "cli/arguments/given.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace docent::cli {
namespace {

using Words = std::span<const std::string>;

constexpr OptionSpec connection_options[] = {
    {"--connect", OptionKind::with_value},
    {"--session-timeout", OptionKind::with_value},
    {"--namespace", OptionKind::with_value},
    {"--auth", OptionKind::with_value},
};
constexpr OptionSpec json_option{"--json", OptionKind::flag};
constexpr OptionSpec help_options[] = {{"--help", OptionKind::flag}, {"-h", OptionKind::flag}};
constexpr OptionSpec program_version_option{"--version", OptionKind::flag};

std::vector<OptionSpec> options_of(const CommandEntry& entry) {
    std::vector<OptionSpec> known(std::begin(help_options), std::end(help_options));
    known.insert(known.end(), entry.options.begin(), entry.options.end());
    if (entry.connects == Connects::yes) {
        known.insert(known.end(), std::begin(connection_options), std::end(connection_options));
    }
    if (entry.json == TakesJson::yes) known.push_back(json_option);
    return known;
}

/// Options of all commands together may stand in front of the command's name.
std::vector<OptionSpec> leading_options() {
    std::vector<OptionSpec> known(std::begin(connection_options), std::end(connection_options));
    known.insert(known.end(), std::begin(help_options), std::end(help_options));
    known.push_back(json_option);
    known.push_back(program_version_option);
    return known;
}

bool asks_for_help(const Arguments& arguments) {
    return std::any_of(arguments.options.begin(), arguments.options.end(),
                       [](const GivenOption& o) { return o.name == "--help" || o.name == "-h"; });
}

/// The command's own view: leading options are treated as if they stood behind its name, so that one which does not apply to
/// it is refused and not ignored.
Command parse_command(const CommandEntry& entry, Words leading, Words following, const Environment& environment) {
    const std::string name(entry.name);
    std::vector<std::string> words(leading.begin(), leading.end());
    words.insert(words.end(), following.begin(), following.end());
    Arguments arguments;
    try {
        arguments = scan_arguments(words, options_of(entry));
    } catch (const UsageError& e) {
        throw UsageError(name + ": " + e.what() + " (see: docent " + name + " --help)");
    }
    if (asks_for_help(arguments)) return HelpCommand{name};
    if (entry.program == TakesProgram::no && arguments.after_dashes) { // for data that begins with a dash
        auto& positionals = arguments.positionals;
        positionals.insert(positionals.end(), arguments.after_dashes->begin(), arguments.after_dashes->end());
    }
    return entry.build(Given(name, std::move(arguments), environment));
}

Command parse_help(Words topics) {
    if (topics.empty()) return HelpCommand{};
    if (topics.size() > 1) throw UsageError("help: unexpected argument '" + topics[1] + "'");
    return HelpCommand{std::string(find_command(topics.front()).name)};
}

Command parse_words(Words words, const Environment& environment) {
    const auto known = leading_options();
    const auto leading = words.first(count_leading_options(words, known));
    const Arguments given = scan_arguments(leading, known);
    if (asks_for_help(given)) return HelpCommand{};
    if (std::any_of(given.options.begin(), given.options.end(), [](const auto& o) { return o.name == "--version"; })) {
        return VersionCommand{};
    }

    const auto rest = words.subspan(leading.size());
    if (rest.empty() || rest.front() == "--") throw UsageError("no command given (see: docent --help)");
    if (rest.front() == "help") return parse_help(rest.subspan(1));
    return parse_command(find_command(rest.front()), leading, rest.subspan(1), environment);
}

} // namespace

std::variant<Command, UsageError> parse(Words words, const Environment& environment) {
    try {
        return parse_words(words, environment);
    } catch (const UsageError& e) {
        return e;
    }
}

} // namespace docent::cli