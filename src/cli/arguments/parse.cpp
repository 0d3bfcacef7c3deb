// SPDX-License-Identifier: Apache-2.0

#include "cli/arguments/parse.hpp"
#include "cli/arguments/argument_reader.hpp"
#include "cli/arguments/command_table.hpp"
#include "posix/descriptors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

namespace docent::cli {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\v\f";
    const auto first = text.find_first_not_of(blanks);
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Returns the fault if the value has a comment behind it, or quotes around it: here they would become a part of the value.
/// Otherwise returns null.
const char* what_is_foreign(std::string_view value) {
    if (value.starts_with('#') || value.find(" #") != value.npos || value.find("\t#") != value.npos)
        return " has a comment behind its value; a comment has a line of its own";
    const bool quoted =
        value.size() > 1 && (value.front() == '"' || value.front() == '\'') && value.find(value.front(), 1) == value.size() - 1;
    return quoted ? " has quotes around its value; it stands without them" : nullptr;
}

} // namespace

std::vector<ConfigLine> scan_config(const std::string& text) {
    std::vector<ConfigLine> result;
    std::istringstream lines(text);
    std::string section;
    std::string whole;
    for (int number = 1; std::getline(lines, whole); ++number) {
        const std::string_view line = trimmed(whole);
        if (line.empty() || line.front() == '#' || line.front() == ';') continue;
        const auto fail = [&](const char* what) { throw UsageError("line " + std::to_string(number) + what); };
        const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; };
        if (std::any_of(line.begin(), line.end(), is_control)) fail(" has control characters");
        if (line.front() == '[') {
            if (line.back() != ']') fail(" is not [COMMAND]");
            section = trimmed(line.substr(1, line.size() - 2));
            if (section.empty()) fail(" is not [COMMAND]");
            continue;
        }
        const auto equals = line.find('=');
        if (equals == line.npos || equals == 0) fail(" is not NAME = VALUE");
        const std::string_view value = trimmed(line.substr(equals + 1)); // unchanged: a password may contain a number sign
        if (const char* const what = what_is_foreign(value)) fail(what);
        result.push_back({section, std::string(trimmed(line.substr(0, equals))), {std::string(value)}});
    }
    return result;
}

namespace {

/// The options that may stand in a section; outside of sections, the options that commands share.
std::vector<OptionEntry> options_in(const std::string& section) {
    std::vector<OptionEntry> options = leading_options();
    if (!section.empty()) {
        const auto& table = command_table();
        const auto found = std::find_if(table.begin(), table.end(), [&](const CommandEntry& e) { return e.name == section; });
        if (found == table.end() || !found->connects) {
            throw UsageError("[" + section + "] is not a command that talks to ZooKeeper");
        }
        options = options_of(*found);
    }
    std::erase_if(options, [](const OptionEntry& o) {
        return o.name == help_option.name || o.name == config_option.name || (o.name == version_option.name && o.is_flag());
    });
    return options;
}

/// `[lock], [elect]`: the commands that have this option.
std::string commands_with(const std::string& name) {
    std::string text;
    for (const CommandEntry& entry : command_table()) {
        if (find_option(entry.options, "--" + name) && entry.connects)
            text += (text.empty() ? "[" : ", [") + std::string(entry.name) + "]";
    }
    return text;
}

std::string names_of(const std::vector<OptionEntry>& options) {
    std::string text;
    for (const OptionEntry& option : options) text += (text.empty() ? "" : ", ") + std::string(option.name.substr(2));
    return text;
}

const OptionEntry& option_of(const ConfigLine& line, const std::vector<OptionEntry>& options) {
    if (const auto* found = find_option(options, "--" + line.name)) return *found;
    const std::string where = line.section.empty() ? "" : " in [" + line.section + "]";
    if (const auto commands = commands_with(line.name); where.empty() && !commands.empty())
        throw UsageError("the option " + line.name + " stands below a command that takes it: " + commands);
    throw UsageError("there is no option " + line.name + where + ", but " + names_of(options));
}

/// The values of a line; nothing if it says that a flag is not set.
std::optional<OptionValues> values_of(const OptionEntry& option, const ConfigLine& line, const std::string& file) {
    OptionValues result{{line.value}, line.name + " in " + file, file};
    if (!option.is_flag()) return result;
    if (result.values.back() == "false") return std::nullopt;
    if (result.values.back() != "true") throw UsageError(line.name + " is true or false");
    return result;
}

/// Reads the file's options for one command: the options in front of all sections, and those below `[command]`, which take
/// precedence. Ignores sections of other commands, but checks that their options exist.
Options read_config_file(const std::string& file, const CommandEntry& entry) try {
    const auto text = posix::read_file(file);
    if (!text) throw UsageError(std::string("cannot be read: ") + std::strerror(errno));
    const auto taken = options_of(entry);
    Options shared;
    Options own;
    for (const ConfigLine& line : scan_config(*text)) {
        const auto options = options_in(line.section);
        const OptionEntry& option = option_of(line, options);
        auto values = values_of(option, line, file);
        if (!find_option(taken, option.name) || (!line.section.empty() && line.section != entry.name)) continue;
        auto& into = line.section.empty() ? shared : own;
        const std::string name(option.name);
        if (!values) {
            into.erase(name);
            if (!line.section.empty()) shared.erase(name);
        } else if (const auto [at, is_new] = into.try_emplace(name, *values); !is_new) {
            at->second.values.insert(at->second.values.end(), values->values.begin(), values->values.end());
        }
    }
    own.merge(shared);
    return own;
} catch (const UsageError& e) {
    throw UsageError("config file " + file + ": " + e.what());
}

/// Adds the options' environment variables. An empty variable is a value, as after the option.
void add_environment(Options& options, const CommandEntry& entry, const Environment& environment) {
    for (const OptionEntry& option : options_of(entry)) {
        const auto found = environment.find(std::string(option.environment));
        if (option.environment.empty() || found == environment.end()) continue;
        if (option.is_flag()) {
            if (found->second == "false") continue;
            if (found->second != "true") throw UsageError("$" + std::string(option.environment) + " is true or false");
        }
        options.try_emplace(std::string(option.name), OptionValues{{found->second}, "$" + found->first});
    }
}

/// Adds the options of the config file. Options of the command line take precedence, also over their alternatives in the file.
void add_config(Options& options, const CommandEntry& entry) {
    const auto file = options.find(config_option.name);
    if (file == options.end()) return;
    if (file->second.values.back().empty())
        ArgumentReader(std::string(entry.name), {}).fail(file->second.origin + " is empty, and names no file");
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
    if (arguments.options.contains(help_option.name)) return HelpCommand{name};
    if (!entry.program && arguments.after_dashes) { // so data may begin with a dash
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
    if (line.leading.contains(help_option.name)) return HelpCommand{};
    if (line.leading.contains(version_option.name)) return HelpCommand{.text = HelpCommand::Text::version};
    if (line.command == nullptr) throw UsageError("no command given (see: docent --help)");
    return parse_command(*line.command, std::move(line.arguments), environment);
}

} // namespace docent::cli
