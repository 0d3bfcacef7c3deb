// SPDX-License-Identifier: Apache-2.0
#include "cli/help/synopsis.hpp"

namespace docent::cli {
namespace {

std::string with_value(std::string_view name, const OptionEntry& option) {
    return std::string(name) + (option.is_flag() ? "" : " " + std::string(option.value));
}

std::string in_brackets(const std::string& text, Presence presence) {
    return presence == Presence::required ? text : "[" + text + "]";
}

std::string name_and_arguments(const CommandEntry& entry) {
    std::string text(entry.name);
    for (const ArgumentEntry& argument : entry.arguments) {
        const std::string dots = argument.times == Times::once_or_more ? "..." : "";
        text += " " + in_brackets(std::string(argument.name) + dots, argument.presence);
    }
    return text;
}

std::string program_of(const CommandEntry& entry, const std::string& shown) {
    if (entry.program == TakesProgram::no) return {};
    return " " + in_brackets(shown, entry.program == TakesProgram::yes ? Presence::required : Presence::optional);
}

/// The options of the command and `--json`, without the options that nearly all commands have.
std::vector<OptionEntry> shown_options(const CommandEntry& entry) {
    std::vector<OptionEntry> options = entry.options;
    if (entry.json == TakesJson::yes) options.push_back({.name = "--json"});
    return options;
}

} // namespace

std::string typed(const OptionEntry& option) {
    return with_value(option.short_name.empty() ? option.name : option.short_name, option);
}

std::string all_names(const OptionEntry& option) {
    return (option.short_name.empty() ? "" : std::string(option.short_name) + ", ") + with_value(option.name, option);
}

std::string explanation(const OptionEntry& option) {
    return std::string(option.help) + (option.environment.empty() ? "" : " [$" + std::string(option.environment) + "]");
}

std::string synopsis(const CommandEntry& entry) {
    std::string text = name_and_arguments(entry);
    const auto options = shown_options(entry);
    for (std::size_t i = 0; i < options.size(); ++i) {
        std::string shown = typed(options[i]);
        if (!options[i].alternative.empty()) shown += " | " + typed(options[++i]);
        text += " " + in_brackets(shown, options[i].presence);
    }
    return text + program_of(entry, "-- CMD [ARG...]");
}

} // namespace docent::cli
