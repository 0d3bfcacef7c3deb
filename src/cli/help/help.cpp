// SPDX-License-Identifier: Apache-2.0

#include "cli/help/help.hpp"
#include "cli/arguments/command_table.hpp"
#include "cli/messages.hpp"
#include "cli/run.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace docent::cli {
namespace {

// The texts about the whole program, for the help and the man page.
constexpr std::string_view one_line = "locks for programs on many machines, kept in Apache ZooKeeper";

constexpr std::string_view purpose =
    "Locks for programs on many machines, kept in Apache ZooKeeper; they exclude Apache Curator's, too.";

constexpr std::string_view where_to_read_on = "docent help COMMAND describes a command; docent help options: servers and more.";

constexpr std::string_view about_connecting =
    R"(If no server answers, a command gives up after 5 s, with 2 s more for each further server, and at most 15 s
(up to 4 s more with --relaxed-heartbeats). Commands that read see each write that was done before, on any server.)";

constexpr std::string_view about_values =
    "TIME is a number with a unit: 500ms, 5s, 2m, 1h, 7d. A number without a unit is in seconds, as flock has it. DATA of - "
    "reads standard input.";

constexpr std::string_view about_config =
    R"(A config file has options without their dashes. An option is for all commands that take it, or, below the name of a command,
for that command. A flag is true or false. Values have no quotes. A comment has its own line, which begins with # or ;. Typed options
come first, then the environment, then the file. docent refuses an empty variable like an empty option; only DOCENT_NAMESPACE may be
empty, for no namespace:

  connect = zk1:2181,zk2:2181
  auth = digest:user:password
  [lock]
  wait = 5m

If the file has credentials, nobody else should be able to read it; docent warns otherwise.)";

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

/// The options of the command and `--json`, without the options that nearly all commands have.
std::vector<OptionEntry> own_options(const CommandEntry& entry) {
    std::vector<OptionEntry> options = entry.options;
    if (entry.json) options.push_back(json_option);
    return options;
}

/// `-f FILE`, `--wait TIME`: the shortest form of an option.
std::string typed(const OptionEntry& option) {
    return with_value(option.short_name.empty() ? option.name : option.short_name, option);
}

/// `-f, --file FILE`: all names of an option.
std::string all_names(const OptionEntry& option) {
    return (option.short_name.empty() ? "" : std::string(option.short_name) + ", ") + with_value(option.name, option);
}

/// The option's help, with its environment variable.
std::string explanation(const OptionEntry& option) {
    return std::string(option.help) + (option.environment.empty() ? "" : " [$" + std::string(option.environment) + "]");
}

/// `lock PATH [--wait TIME | --no-wait] -- CMD [ARG...]`
std::string synopsis(const CommandEntry& entry) {
    std::string text = name_and_arguments(entry);
    const auto options = own_options(entry);
    for (std::size_t i = 0; i < options.size(); ++i) {
        std::string shown = typed(options[i]);
        if (!options[i].alternative.empty()) shown += " | " + typed(options[++i]);
        text += " " + in_brackets(shown, options[i].presence);
    }
    if (!entry.program) return text;
    return text + " " + in_brackets("-- CMD [ARG...]", *entry.program);
}

} // namespace

std::vector<Paragraph> paragraphs_of(std::string_view text) {
    std::vector<Paragraph> result;
    std::istringstream lines{std::string(text)};
    bool open = false;
    for (std::string line; std::getline(lines, line);) {
        const bool verbatim = line.starts_with("  ");
        if (line.empty()) {
            open = false;
        } else if (open && result.back().verbatim == verbatim) {
            result.back().text += (verbatim ? "\n" : " ") + line;
        } else {
            result.push_back({verbatim, line});
            open = true;
        }
    }
    return result;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
        if (!lines.empty() && lines.back().size() + 1 + word.size() <= width) lines.back() += " " + word;
        else lines.push_back(word);
    }
    return lines;
}

std::string as_columns(const std::vector<Row>& rows, std::size_t limit) {
    std::size_t width = 0;
    for (const Row& row : rows) {
        if (row.left.size() <= limit) width = std::max(width, row.left.size());
    }
    const std::string margin = "  ";
    const std::string gap = "   ";
    const std::size_t indent = margin.size() + width + gap.size();
    std::string text;
    for (const Row& row : rows) {
        text += margin + row.left;
        std::size_t at = margin.size() + row.left.size();
        if (row.left.size() > width) { // the right column begins on the next line
            text += "\n";
            at = 0;
        }
        for (const auto& line : wrap(row.right, page_width - indent)) {
            text += std::string(indent - at, ' ') + line + "\n";
            at = 0;
        }
    }
    return text;
}

namespace {

/// All paragraphs, wrapped, each followed by an empty line.
std::string as_page(std::string_view text) {
    std::string page;
    for (const Paragraph& paragraph : paragraphs_of(text)) {
        if (paragraph.verbatim) {
            page += paragraph.text + "\n";
        } else {
            for (const auto& line : wrap(paragraph.text, page_width)) page += line + "\n";
        }
        page += "\n";
    }
    return page;
}

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
    std::string lines;
    for (const auto& line : wrap("Common options (docent help options): " + names, page_width)) lines += line + "\n";
    return lines;
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
           std::string(command_table().front().example) + "\n\n" + as_columns(overview(), widest_command) +
           std::string(where_to_read_on) + "\n";
}

std::string options_help() {
    std::string printing;
    for (const CommandEntry& entry : command_table()) {
        if (entry.json) printing += (printing.empty() ? "" : ", ") + std::string(entry.name);
    }
    OptionEntry json = json_option;
    const std::string json_help = std::string(json.help) + " (" + printing + ")";
    json.help = json_help;
    std::vector<Row> statuses;
    for (const auto& [code, meaning] : exit_status_table) statuses.push_back({std::to_string(code), std::string(meaning)});
    return "Options for the commands that talk to ZooKeeper:\n" + option_rows(connection_options()) +
           as_page(about_connecting) + "Other options:\n" + option_rows({json, help_option, version_option}) + "\n" +
           as_page(about_values) + as_page(about_config) +
           "Exit status (a command that runs one CMD exits with CMD's otherwise):\n" + as_columns(statuses, widest_option);
}

std::string command_help(const CommandEntry& entry) {
    std::string text;
    const std::string margin = "         "; // in front of all lines but the first
    for (const auto& line : wrap("usage: docent " + synopsis(entry), page_width - margin.size()))
        text += (text.empty() ? "" : margin) + line + "\n";
    text += "\n";
    if (!entry.example.empty()) text += "Example:  " + std::string(entry.example) + "\n\n";
    text += as_page(entry.description);
    std::vector<OptionEntry> options = own_options(entry);
    options.push_back(help_option);
    text += option_rows(options) + "\n" + as_page(entry.remarks);
    if (entry.connects) return text + common_options_line();
    return text.substr(0, text.size() - 1); // without the last empty line
}

} // namespace

std::string help_text(std::string_view topic) {
    if (topic.empty()) return program_help();
    return topic == options_topic ? options_help() : command_help(find_command(std::string(topic)));
}

namespace {

// The man page, in roff.

/// Escapes text so that roff shows it unchanged.
std::string plain(std::string_view text) {
    std::string result;
    bool line_begins = true;
    for (const char c : text) {
        if (line_begins && (c == '.' || c == '\'')) result += "\\&";
        if (c == '\\') result += "\\e";
        else if (c == '-') result += "\\-";
        else if (c == '\'') result += "\\(aq";
        else result += c;
        line_begins = c == '\n';
    }
    return result;
}

std::string bold(std::string_view text) {
    return "\\fB" + plain(text) + "\\fR";
}

std::string as_it_is(std::string_view text) {
    return ".PP\n.nf\n" + plain(text) + "\n.fi\n";
}

std::string paragraphs(std::string_view text) {
    std::string result;
    for (const Paragraph& paragraph : paragraphs_of(text)) {
        if (paragraph.verbatim) result += as_it_is(paragraph.text);
        else result += ".PP\n" + plain(paragraph.text) + "\n";
    }
    return result;
}

std::string tagged(std::string_view tag, std::string_view text) {
    return ".TP\n" + bold(tag) + "\n" + plain(text) + "\n";
}

std::string tagged_options(const std::vector<OptionEntry>& options) {
    std::string result;
    for (const OptionEntry& option : options) result += tagged(all_names(option), explanation(option));
    return result;
}

/// The examples of all commands.
std::string examples() {
    std::string result;
    for (const CommandEntry& entry : command_table()) {
        if (!entry.example.empty()) result += tagged(entry.example, entry.summary);
    }
    return result;
}

std::string section_of(const CommandEntry& entry) {
    return ".SS " + plain(entry.name) + "\n" + bold("docent " + synopsis(entry)) + "\n" +
           (entry.example.empty() ? "" : as_it_is("  " + std::string(entry.example))) + paragraphs(entry.description) +
           tagged_options(entry.options) + paragraphs(entry.remarks);
}

std::string environment() {
    std::string result;
    for (const OptionEntry& option : connection_options()) {
        if (!option.environment.empty()) result += tagged(option.environment, "for " + std::string(option.name));
    }
    return result;
}

} // namespace

std::string man_page(std::string_view version) {
    std::string page = ".TH DOCENT 1 \"\" \"docent " + plain(version) + "\" \"User Commands\"\n";
    page += ".SH NAME\ndocent \\- " + plain(one_line) + "\n";
    page += ".SH SYNOPSIS\n" + bold("docent [OPTIONS] COMMAND ...") + "\n";
    page += ".SH DESCRIPTION\n" + plain(purpose) + "\n" + paragraphs(about_values);
    page += ".SH EXAMPLES\n" + examples();
    page += ".SH COMMANDS\n";
    for (const CommandEntry& entry : command_table()) page += section_of(entry);
    page += ".SH OPTIONS\nOptions stand in front of the command\\(aqs name or behind it. Those for the commands that talk to "
            "ZooKeeper:\n";
    page += tagged_options(connection_options()) + paragraphs(about_connecting) + ".PP\nOther options:\n";
    page += tagged_options({json_option, help_option, version_option});
    page += ".SH ENVIRONMENT\n" + environment();
    page += ".SH CONFIG FILE\n" + paragraphs(about_config);
    page += ".SH EXIT STATUS\nOf a command that runs CMD, otherwise CMD\\(aqs own.\n";
    for (const auto& [code, meaning] : exit_status_table) page += tagged(std::to_string(code), meaning);
    return page;
}

int run(const HelpCommand& command) {
    using Text = HelpCommand::Text;
    switch (command.text) {
    case Text::help: print(help_text(command.topic)); break;
    case Text::man_page: print(man_page(DOCENT_VERSION)); break;
    case Text::bash_completion: print(bash_completion()); break;
    case Text::zsh_completion: print(zsh_completion()); break;
    case Text::version: print("docent " DOCENT_VERSION "\n"); break;
    }
    return exit_code::success;
}

} // namespace docent::cli
