// SPDX-License-Identifier: Apache-2.0

#include "cli/arguments/parse.hpp"
#include "cli/arguments/argument_reader.hpp"
#include "cli/arguments/command_line.hpp"
#include "cli/arguments/command_table.hpp"
#include "cli/arguments/config_file.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace docent::cli {
namespace {

/// The value of the option's environment variable. An empty variable is a value, as after the option.
std::optional<OptionValues> from_environment(const OptionEntry& option, const Environment& environment) {
    const auto found = environment.find(std::string(option.environment));
    if (option.environment.empty() || found == environment.end()) return std::nullopt;
    return OptionValues{{found->second}, "$" + found->first};
}

void add_environment(Options& options, const CommandEntry& entry, const Environment& environment) {
    for (const OptionEntry& option : options_of(entry)) {
        if (options.contains(option.name)) continue;
        if (auto values = from_environment(option, environment)) options.emplace(option.name, std::move(*values));
    }
}

/// Adds the options of the config file. Options of the command line take precedence, also over their alternatives in the file.
void add_config(Options& options, const CommandEntry& entry) {
    const auto file = options.find(config_option().name);
    if (file == options.end()) return;
    if (file->second.values.back().empty())
        throw UsageError(std::string(entry.name) + ": " + file->second.origin + " is empty, and names no file (see: docent " +
                         std::string(entry.name) + " --help)");
    Options from_file = read_config_file(file->second.values.back(), entry);
    for (const OptionEntry& option : options_of(entry)) {
        if (option.alternative.empty()) continue;
        if (options.contains(option.name)) from_file.erase(std::string(option.alternative));
        if (options.contains(option.alternative)) from_file.erase(std::string(option.name));
    }
    options.merge(from_file);
}

void check_positionals(const ArgumentReader& reader, const CommandEntry& entry, const Arguments& arguments) {
    const auto& given = arguments.positionals;
    for (std::size_t i = given.size(); i < entry.arguments.size(); ++i) {
        if (entry.arguments[i].presence == Presence::required)
            reader.fail(std::string(entry.arguments[i].name) + " is missing");
    }
    const bool may_be_more = !entry.arguments.empty() && entry.arguments.back().times == Times::once_or_more;
    if (given.size() > entry.arguments.size() && !may_be_more)
        reader.fail("unexpected argument '" + given[entry.arguments.size()] + "'");
}

Command parse_command(const CommandEntry& entry, Arguments arguments, const Environment& environment) {
    const std::string name(entry.name);
    if (arguments.options.contains(help_option().name)) return HelpCommand{name};
    if (entry.program == TakesProgram::no && arguments.after_dashes) { // data may begin with a dash
        auto& positionals = arguments.positionals;
        positionals.insert(positionals.end(), arguments.after_dashes->begin(), arguments.after_dashes->end());
    }
    add_environment(arguments.options, entry, environment);
    add_config(arguments.options, entry);
    const ArgumentReader reader(name, arguments);
    check_positionals(reader, entry, arguments);
    return entry.build(reader);
}

} // namespace

Command parse(std::span<const std::string> words, const Environment& environment) {
    CommandLine line = scan_command_line(words);
    if (line.leading.contains(help_option().name)) return HelpCommand{};
    if (line.leading.contains(version_option().name)) return VersionCommand{};
    if (line.command == nullptr) throw UsageError("no command given (see: docent --help)");
    return parse_command(*line.command, std::move(line.arguments), environment);
}

} // namespace docent::cli
