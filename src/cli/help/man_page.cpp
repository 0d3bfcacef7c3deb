// SPDX-License-Identifier: Apache-2.0
#include "cli/help/man_page.hpp"

#include "cli/arguments/command_table.hpp"
#include "cli/help/help.hpp"

namespace docent::cli {
namespace {

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

std::string options(const std::vector<OptionEntry>& entries) {
    std::string result;
    for (const OptionEntry& option : entries) result += tagged(all_names(option), explanation(option));
    return result;
}

std::string example(const CommandEntry& entry) {
    return entry.example.empty() ? "" : as_it_is("  " + std::string(entry.example));
}

/// The examples of all commands.
std::string examples() {
    std::string result;
    for (const CommandEntry& entry : command_table()) {
        if (!entry.example.empty()) result += tagged(entry.example, entry.summary);
    }
    return result;
}

std::string command(const CommandEntry& entry) {
    std::string result = ".SS " + plain(entry.name) + "\n" + bold("docent " + synopsis(entry)) + "\n" + example(entry) +
                         paragraphs(entry.description) + options(entry.options);
    return result + paragraphs(entry.remarks);
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
    for (const CommandEntry& entry : command_table()) page += command(entry);
    page += ".SH OPTIONS\nOptions stand in front of the command\\(aqs name or behind it. Those for the commands that talk to "
            "ZooKeeper:\n";
    page += options(connection_options()) + paragraphs(about_connecting) + ".PP\nOther options:\n";
    page += options({json_option, help_option, version_option});
    page += ".SH ENVIRONMENT\n" + environment();
    page += ".SH CONFIG FILE\n" + paragraphs(about_config);
    page += ".SH EXIT STATUS\nOf a command that runs CMD, otherwise CMD\\(aqs own.\n";
    for (const auto& [code, meaning] : exit_status_table) page += tagged(std::to_string(code), meaning);
    return page;
}

} // namespace docent::cli
