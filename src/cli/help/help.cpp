// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include "cli/arguments/command_table.hpp"
#include "cli/help/general.hpp"
#include "cli/help/layout.hpp"
#include "cli/help/synopsis.hpp"

#include <vector>

namespace docent::cli {
namespace {

constexpr std::size_t widest_option = 34;
constexpr std::size_t widest_command = 44;

std::string option_rows(const std::vector<OptionEntry>& options) {
    std::vector<Row> rows;
    rows.reserve(options.size());
    for (const OptionEntry& option : options) rows.push_back({all_names(option), explanation(option)});
    return as_columns(rows, widest_option);
}

std::string connection_help() {
    return "Options for the commands that talk to ZooKeeper:\n" + option_rows(connection_options()) + as_page(about_connecting);
}

std::string program_help() {
    std::string text = "usage: docent [OPTIONS] COMMAND ...\n\n" + as_page(purpose);
    std::vector<Row> commands;
    std::string printing;
    for (const CommandEntry& entry : command_table()) {
        commands.push_back({short_synopsis(entry), std::string(entry.summary)});
        if (entry.json == TakesJson::yes) printing += (printing.empty() ? "" : ", ") + std::string(entry.name);
    }
    OptionEntry json = json_option();
    const std::string json_help = std::string(json.help) + " (" + printing + ")";
    json.help = json_help;
    std::vector<Row> statuses;
    for (const auto& [code, meaning] : exit_status_table()) statuses.push_back({std::to_string(code), std::string(meaning)});
    return text + as_columns(commands, widest_command) + "\n" + connection_help() + "Other options:\n" +
           option_rows({json, help_option(), version_option()}) + "\n" + as_page(about_values) + as_page(about_config) +
           "Exit status, of a command that runs CMD otherwise CMD's own:\n" + as_columns(statuses, widest_option);
}

std::string command_help(const CommandEntry& entry) {
    std::string text;
    const std::string margin = "         "; // of all lines but the first
    for (const auto& line : wrap("usage: docent " + synopsis(entry), page_width - margin.size()))
        text += (text.empty() ? "" : margin) + line + "\n";
    text += "\n" + as_page(entry.description);
    std::vector<OptionEntry> own = entry.options;
    if (entry.json == TakesJson::yes) own.push_back(json_option());
    own.push_back(help_option());
    text += option_rows(own) + "\n" + as_page(entry.remarks);
    if (!entry.example.empty()) text += "Example:  " + std::string(entry.example) + "\n\n";
    if (entry.connects == Connects::yes) text += connection_help() + as_page(about_config);
    return text.substr(0, text.size() - 1); // not the last empty line
}

} // namespace

std::string help_text(std::string_view topic) {
    return topic.empty() ? program_help() : command_help(find_command(std::string(topic)));
}

} // namespace docent::cli
