// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/argument_reader.hpp"
#include "cli/arguments/command.hpp"
#include "cli/messages.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::cli {

enum class Times { once, once_or_more };
enum class Presence { optional, required };
/// The words that a shell completes for a value.
enum class Completion { nothing, file, folder, command, shell, znode };

struct OptionEntry {
    std::string_view name;             // with its two dashes
    std::string_view value = {};       // the value's name in the help; empty for a flag
    std::string_view help = {};        // one sentence or more
    std::string_view short_name = {};  // with its dash
    std::string_view environment = {}; // the variable that counts if the option is not given
    std::string_view alternative = {}; // an option that must not be given together with this one
    Presence presence = Presence::optional;
    Completion completion = Completion::nothing;

    bool is_flag() const { return value.empty(); }
};

struct ArgumentEntry {
    std::string_view name;
    Presence presence = Presence::required;
    Completion completion = Completion::nothing;
    Times times = Times::once; // only the last argument may be given several times
};

/// One command: its name, its arguments, its help, and the function that makes a Command of them. Texts are paragraphs with a
/// blank line in between. Lines that begin with two blanks are shown unchanged.
struct CommandEntry {
    std::string_view name;
    std::string_view summary;     // half a line
    std::string_view group = {};  // commands of one group share a line of the overview, with this summary
    std::string_view description; // in front of the options
    Command (*build)(const ArgumentReader&) = nullptr;
    bool connects = false;                // to ZooKeeper
    bool json = false;                    // has the option --json
    std::optional<Presence> program = {}; // CMD behind `--`; empty: takes none
    std::vector<ArgumentEntry> arguments = {};
    std::vector<OptionEntry> options = {}; // the options of this command only; see options_of()
    std::string_view remarks = {};         // after the options
    std::string_view example = {};         // one line of shell
};

struct ExitStatusEntry {
    int code;
    std::string_view meaning;
};

// The parts of the command table, in their order.
std::vector<CommandEntry> hold_entries();
std::vector<CommandEntry> view_entries();
std::vector<CommandEntry> node_entries();
std::vector<CommandEntry> local_entries();

inline constexpr ArgumentEntry path_argument{.name = "PATH", .completion = Completion::znode};

/// Makes the entry of a command that connects to ZooKeeper and can print JSON.
inline CommandEntry printing(CommandEntry entry) {
    entry.connects = true;
    entry.json = true;
    return entry;
}

/// The same for a command that reads one node.
template <typename Reading> CommandEntry reading(CommandEntry entry) {
    entry.build = [](const ArgumentReader& given) -> Command {
        return Reading{.connection = given.connection(), .format = given.format(), .path = given.path()};
    };
    entry.arguments = {path_argument};
    return printing(std::move(entry));
}

// The table of all commands and options. The parser, the help, the man page and the shells' completions are made from it.

const std::vector<CommandEntry>& command_table();

/// Throws UsageError if there is no such command.
const CommandEntry& find_command(const std::string& name);

inline constexpr OptionEntry json_option{.name = "--json", .help = "print JSON"};
inline constexpr OptionEntry help_option{.name = "--help", .help = "print this help", .short_name = "-h"};
/// Only in front of a command's name. `set` and other commands have an own option --version, the version of a node.
inline constexpr OptionEntry version_option{.name = "--version", .help = "print docent's version"};
inline constexpr OptionEntry config_option{.name = "--config",
                                           .value = "FILE",
                                           .help = "a file with options, see below (default: none)",
                                           .environment = "DOCENT_CONFIG",
                                           .completion = Completion::file};

/// The options of all commands that connect to ZooKeeper.
const std::vector<OptionEntry>& connection_options();

/// All options of a command: its own, and the options that it shares with others.
std::vector<OptionEntry> options_of(const CommandEntry& entry);
/// All options that may stand in front of a command's name.
std::vector<OptionEntry> leading_options();

/// The option with this name; null if there is none.
const OptionEntry* find_option(const std::vector<OptionEntry>& options, std::string_view name);

inline constexpr ExitStatusEntry exit_status_table[] = {
    {exit_code::success, "done"},
    {exit_code::failure, "refused by the server, or the answer is no"},
    {exit_code::usage, "wrong usage; nothing was sent"},
    {exit_code::unavailable, "no ZooKeeper answered"},
    {exit_code::not_acquired, "the lock was not acquired in time"},
    {exit_code::lock_lost, "the lock was lost"},
    {exit_code::held_too_long, "the time of --max-hold is over"},
    {exit_code::not_executable, "CMD is not executable"},
    {exit_code::not_found, "CMD was not found"},
};

} // namespace docent::cli
