// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/parse.hpp"

#include "cli/arguments/command_table.hpp"
#include "cli/arguments/values.hpp"

#include <CLI/CLI.hpp> // nowhere else: it takes long to compile

#include <algorithm>
#include <string_view>
#include <vector>

namespace docent::cli {
namespace {

using Words = std::span<const std::string>;

bool looks_like_option(const std::string& word) {
    return word.size() > 1 && word.front() == '-';
}

/// The names of an option in CLI11's form: `-f,--file`.
std::string cli11_names(const OptionEntry& option) {
    return (option.short_name.empty() ? "" : std::string(option.short_name) + ",") + std::string(option.name);
}

/// CLI11 only collects the options. docent checks them, so that a message names the command and the fault in one line.
void add_options(CLI::App& app, const std::vector<OptionEntry>& options) {
    const CLI::callback_t no_conversion = [](const CLI::results_t&) { return true; };
    for (const OptionEntry& option : options) {
        auto* added = option.is_flag() ? app.add_flag(cli11_names(option))->disable_flag_override()
                                       : app.add_option(cli11_names(option), no_conversion);
        added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
}

void configure(CLI::App& app) {
    app.set_help_flag();
    app.allow_extras();
    app.require_subcommand(0, 1);
    add_options(app, leading_options());
    for (const CommandEntry& entry : command_table()) {
        CLI::App* command = app.add_subcommand(std::string(entry.name));
        add_options(*command, options_of(entry));
        for (const ArgumentEntry& argument : entry.arguments) {
            auto* added = command->add_option(std::string(argument.name), [](const CLI::results_t&) { return true; });
            if (argument.times == Times::once_or_more)
                added->expected(-1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        }
    }
}

bool takes_value(std::string_view name) {
    const auto is_taken = [&](const std::vector<OptionEntry>& options) {
        const auto* option = find_option(options, name);
        return option != nullptr && !option->is_flag();
    };
    return is_taken(leading_options()) || std::any_of(command_table().begin(), command_table().end(),
                                                      [&](const CommandEntry& entry) { return is_taken(entry.options); });
}

/// The words in CLI11's order, the last one first. Refuses or replaces words that have a meaning to CLI11 only.
std::vector<std::string> words_for_cli11(Words words) {
    std::vector<std::string> result;
    for (const std::string& word : words) {
        if (word == "++") throw UsageError("unexpected argument '++' (a word of two plus signs goes behind --)");
        const std::string_view name = std::string_view(word).substr(0, std::max<std::size_t>(word.size(), 1) - 1);
        if (word.ends_with('=') && takes_value(name)) { // the value is empty; it is not the next word
            result.emplace_back(name);
            result.emplace_back();
        } else {
            result.push_back(word);
        }
    }
    std::reverse(result.begin(), result.end());
    return result;
}

/// CLI11's message in docent's words. It begins with the option's name.
std::string explain(const CLI::ArgumentMismatch& mismatch) {
    const std::string what = mismatch.what();
    const std::string name = what.substr(0, what.find_first_of(" :"));
    return name.starts_with('-') ? "option " + name + " needs a value" : "option --" + name + " takes no value";
}

Options collect(const CLI::App& app, const std::vector<OptionEntry>& options) {
    Options result;
    for (const OptionEntry& option : options) {
        const std::string name(option.name);
        const CLI::Option* given = app.get_option(name);
        if (given->count() > 0) result[name] = {given->results(), name};
    }
    return result;
}

[[noreturn]] void refuse_option(const std::string& name, const std::vector<OptionEntry>& known) {
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const OptionEntry& option : known) names.push_back(option.name);
    throw UsageError("unknown option " + name + did_you_mean(name, names));
}

/// Refuses words that are not in the table. Begins with the options, because a word after an unknown option may be its value.
void check_extras(const std::vector<std::string>& extras, const std::vector<std::string>& positionals,
                  const std::vector<OptionEntry>& known) {
    for (const auto* words : {&extras, &positionals}) {
        const auto option = std::find_if(words->begin(), words->end(), looks_like_option);
        if (option == words->end()) continue;
        refuse_option(option->substr(0, option->find('=')), known);
    }
    if (!extras.empty()) throw UsageError("unexpected argument '" + extras.front() + "'");
}

Arguments read_command(const CLI::App& app, const CommandEntry& entry, const Options& leading) {
    Arguments result;
    for (const ArgumentEntry& argument : entry.arguments) {
        const auto& words = app.get_option(std::string(argument.name))->results();
        result.positionals.insert(result.positionals.end(), words.begin(), words.end());
    }
    const auto known = options_of(entry);
    check_extras(app.remaining(), result.positionals, known);
    result.options = leading;
    for (const auto& [name, given] : leading) { // refuse an option that the command does not have
        if (!find_option(known, name)) refuse_option(name, known);
    }
    for (auto& [name, given] : collect(app, known)) {
        auto& all = result.options[name];
        all.values.insert(all.values.end(), given.values.begin(), given.values.end());
        all.origin = name;
    }
    return result;
}

} // namespace

CommandLine scan_command_line(Words words) {
    const auto dashes = std::find(words.begin(), words.end(), "--");
    CLI::App app;
    configure(app);
    std::string prefix;
    std::string hint;
    const auto note_command = [&] {
        if (app.get_subcommands().empty()) return;
        prefix = app.get_subcommands().front()->get_name();
        hint = " (see: docent " + prefix + " --help)";
        prefix += ": ";
    };
    CommandLine result;
    try {
        app.parse(words_for_cli11({words.begin(), dashes}));
        const auto unknown = app.remaining();
        if (!unknown.empty() && !looks_like_option(unknown.front())) find_command(unknown.front()); // throws
        check_extras(unknown, {}, leading_options());
        result.leading = collect(app, leading_options());
        note_command();
        if (!prefix.empty() && !result.leading.contains("--help") && !result.leading.contains("--version")) {
            const CLI::App& command = *app.get_subcommands().front();
            result.command = &find_command(command.get_name());
            result.arguments = read_command(command, *result.command, result.leading);
        }
    } catch (const CLI::ArgumentMismatch& e) {
        note_command();
        throw UsageError(prefix + explain(e) + hint);
    } catch (const UsageError& e) {
        throw UsageError(prefix + e.what() + hint);
    }
    if (dashes != words.end()) result.arguments.after_dashes.emplace(dashes + 1, words.end());
    return result;
}

} // namespace docent::cli
