// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace docent::cli {

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

} // namespace docent::cli
