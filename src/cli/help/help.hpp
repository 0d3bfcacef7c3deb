// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// `-f FILE`, `--wait TIME`: the shortest form of an option.
std::string typed(const OptionEntry& option);

/// `-f, --file FILE`: all names of an option.
std::string all_names(const OptionEntry& option);

/// The option's help, with its environment variable.
std::string explanation(const OptionEntry& option);

/// `lock PATH [--wait TIME | --no-wait] -- CMD [ARG...]`
std::string synopsis(const CommandEntry& entry);

inline constexpr std::size_t page_width = 110;

/// A paragraph of running text, or lines that are shown unchanged.
struct Paragraph {
    bool verbatim;
    std::string text; // running text has no line ends
    friend bool operator==(const Paragraph&, const Paragraph&) = default;
};

/// Splits a text of the command table into paragraphs.
std::vector<Paragraph> paragraphs_of(std::string_view text);

/// Wraps running text into lines of at most `width` characters, unless a word is longer.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// All paragraphs, wrapped, each followed by an empty line.
std::string as_page(std::string_view text);

/// A row of two columns. The left column is as wide as its widest text, but not wider than `limit`.
struct Row {
    std::string left;
    std::string right;
};
std::string as_columns(const std::vector<Row>& rows, std::size_t limit);

// The texts about the whole program, for the help and the man page.
inline constexpr std::string_view one_line = "locks for programs on many machines, kept in Apache ZooKeeper";

inline constexpr std::string_view purpose =
    "Locks for programs on many machines, kept in Apache ZooKeeper; they exclude Apache Curator's, too.";

inline constexpr std::string_view where_to_read_on =
    "docent help COMMAND describes a command; docent help options: servers and more.";

inline constexpr std::string_view about_connecting =
    R"(If no server answers, a command gives up after 5 s, with 2 s more for each further server, and at most 15 s. Commands
that read see each write that was done before, on any server.)";

inline constexpr std::string_view about_values =
    "TIME is a number with a unit: 500ms, 5s, 2m, 1h, 7d. A number without a unit is in seconds, as flock has it. DATA of - "
    "reads standard input.";

inline constexpr std::string_view about_config =
    R"(A config file has options without their dashes. An option is for all commands that take it, or, below the name of a command,
for that command. A flag is true or false. Values have no quotes. A comment has its own line, which begins with # or ;. Typed options
come first, then the environment, then the file. docent refuses an empty variable like an empty option; only DOCENT_NAMESPACE may be
empty, for no namespace:

  connect = zk1:2181,zk2:2181
  auth = digest:user:password
  [lock]
  wait = 5m

If the file has credentials, nobody else should be able to read it; docent warns otherwise.)";

/// The text for a command's name, for `options_topic`, or for the program if `topic` is empty.
std::string help_text(std::string_view topic);

} // namespace docent::cli
