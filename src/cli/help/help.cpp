// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include "cli/arguments/command_table.hpp"
#include "cli/help/general.hpp"
#include "cli/help/layout.hpp"
#include "cli/help/synopsis.hpp"

#include <map>
#include <vector>

namespace docent::cli {
namespace {

constexpr std::size_t widest_option = 34;
constexpr std::size_t widest_command = 21;

std::string option_rows(const std::vector<OptionEntry>& options) {
    std::vector<Row> rows;
    rows.reserve(options.size());
    for (const OptionEntry& option : options) rows.push_back({all_names(option), explanation(option)});
    return as_columns(rows, widest_option);
}

/// `Common options (docent help options): --connect, ...`: options that all commands share.
std::string common_options_line() {
    std::string names;
    for (const OptionEntry& option : connection_options()) names += (names.empty() ? "" : ", ") + std::string(option.name);
    return "Common options (docent help options): " + names + "\n";
}

std::string connection_help() {
    return "Options for the commands that talk to ZooKeeper:\n" + option_rows(connection_options()) + as_page(about_connecting);
}

/// The commands, with one line for each group.
std::vector<Row> overview() {
    std::vector<Row> rows;
    std::map<std::string_view, std::size_t> row_of;
    for (const CommandEntry& entry : command_table()) {
        const auto [found, is_first] = row_of.try_emplace(entry.group.empty() ? entry.name : entry.group, rows.size());
        if (is_first) rows.push_back({std::string(entry.name), std::string(entry.group.empty() ? entry.summary : entry.group)});
        else rows[found->second].left.append(", ").append(entry.name);
    }
    return rows;
}

/// The help without a command. It fits on a small screen.
std::string program_help() {
    return "usage: docent [OPTIONS] COMMAND ...\ndocent: " + std::string(one_line) + "; e.g.\n  " +
           std::string(command_table().front().example) + "\n\n" + as_columns(overview(), widest_command) + "\n" +
           std::string(where_to_read_on) + "\n";
}

std::string options_help() {
    std::string printing;
    for (const CommandEntry& entry : command_table()) {
        if (entry.json == TakesJson::yes) printing += (printing.empty() ? "" : ", ") + std::string(entry.name);
    }
    OptionEntry json = json_option();
    const std::string json_help = std::string(json.help) + " (" + printing + ")";
    json.help = json_help;
    std::vector<Row> statuses;
    for (const auto& [code, meaning] : exit_status_table()) statuses.push_back({std::to_string(code), std::string(meaning)});
    return connection_help() + "Other options:\n" + option_rows({json, help_option(), version_option()}) + "\n" +
           as_page(about_values) + as_page(about_config) +
           "Exit status (a command that runs CMD exits with CMD's otherwise):\n" + as_columns(statuses, widest_option);
}

std::string command_help(const CommandEntry& entry) {
    std::string text;
    const std::string margin = "         "; // in front of all lines but the first
    for (const auto& line : wrap("usage: docent " + synopsis(entry), page_width - margin.size()))
        text += (text.empty() ? "" : margin) + line + "\n";
    text += "\n";
    if (!entry.example.empty()) text += "Example:  " + std::string(entry.example) + "\n\n";
    text += as_page(entry.description);
    std::vector<OptionEntry> own = entry.options;
    if (entry.json == TakesJson::yes) own.push_back(json_option());
    own.push_back(help_option());
    text += option_rows(own) + "\n" + as_page(entry.remarks);
    if (entry.connects == Connects::yes) return text + common_options_line();
    return text.substr(0, text.size() - 1); // without the last empty line
}

} // namespace

std::string help_text(std::string_view topic) {
    if (topic.empty()) return program_help();
    return topic == options_topic ? options_help() : command_help(find_command(std::string(topic)));
}

} // namespace docent::cli
