// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/argument_reader.hpp"
#include "cli/arguments/command.hpp"

#include <string_view>
#include <vector>

namespace docent::cli {

enum class Connects { no, yes };
enum class TakesJson { no, yes };
enum class TakesProgram { no, optional, yes };
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
    Command (*build)(const ArgumentReader&);
    Connects connects = Connects::no;
    TakesJson json = TakesJson::no;
    TakesProgram program = TakesProgram::no;
    std::vector<ArgumentEntry> arguments = {};
    std::vector<OptionEntry> options = {}; // the options of this command only; see options_of()
    std::string_view remarks = {};         // after the options
    std::string_view example = {};         // one line of shell
};

struct ExitStatusEntry {
    int code;
    std::string_view meaning;
};

} // namespace docent::cli
