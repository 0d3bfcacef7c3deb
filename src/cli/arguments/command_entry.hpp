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
/// What a shell offers for a value.
enum class Completion { nothing, file, folder, command, shell, znode };

struct OptionEntry {
    std::string_view name;             // with its two dashes
    std::string_view value = {};       // what help calls its value; a flag has none
    std::string_view help = {};        // what it is for
    std::string_view short_name = {};  // with its dash
    std::string_view environment = {}; // the variable that counts when it is not given
    std::string_view alternative = {}; // the next one, of which only one may be given
    Presence presence = Presence::optional;
    Completion completion = Completion::nothing;

    bool is_flag() const { return value.empty(); }
};

struct ArgumentEntry {
    std::string_view name;
    Presence presence = Presence::required;
    Completion completion = Completion::nothing;
    Times times = Times::once; // only of the last one
};

/// One command: its name, what it takes, what is said of it, and how its arguments become a Command. Texts are paragraphs with
/// a blank line between them; lines that begin with two blanks are shown as they are.
struct CommandEntry {
    std::string_view name;
    std::string_view summary;     // half a line
    std::string_view group = {};  // in the overview, those with the same one share a line with this as its summary
    std::string_view description; // before its options
    Command (*build)(const ArgumentReader&);
    Connects connects = Connects::no;
    TakesJson json = TakesJson::no;
    TakesProgram program = TakesProgram::no;
    std::vector<ArgumentEntry> arguments = {};
    std::vector<OptionEntry> options = {}; // of its own; see options_of
    std::string_view remarks = {};         // behind its options
    std::string_view example = {};         // one line for a shell
};

struct ExitStatusEntry {
    int code;
    std::string_view meaning;
};

} // namespace docent::cli
