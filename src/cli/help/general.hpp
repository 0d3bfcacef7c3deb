// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace docent::cli {

// What is said of the program as a whole, by help and by the man page.
inline constexpr std::string_view one_line = "locks for programs on many machines, kept in Apache ZooKeeper";

inline constexpr std::string_view purpose =
    "Locks for programs on many machines, kept in Apache ZooKeeper; they exclude Apache Curator's, too.";

inline constexpr std::string_view where_to_read_on =
    R"(docent help COMMAND tells all about one of them; docent help options about
servers, credentials, config files, values and exit statuses.)";

inline constexpr std::string_view about_connecting =
    R"(When no server answers, they give up after 5 s, with 2 s more for each further server, at most 15 s. Commands that read
see every write that was done before, on whichever server.)";

inline constexpr std::string_view about_values =
    "TIME is a number with a unit: 500ms, 5s, 2m, 1h, 7d. A number without a unit is in seconds, as flock has it. DATA of - "
    "reads standard input.";

inline constexpr std::string_view about_config =
    R"(A config file has options without their dashes, for all commands that take them, and below the name of a command for that
one; a flag is true or false. Values stand as they are, without quotes; a comment has a line of its own, which begins with # or ;.
What is typed comes first, then the environment, then the file. A variable that is set but empty is refused like an empty
option, not passed over; DOCENT_NAMESPACE alone may be empty, for none:

  connect = zk1:2181,zk2:2181
  auth = digest:user:password
  [lock]
  wait = 5m

Keep it readable by yourself alone if it has credentials; docent warns when others can read them.)";

} // namespace docent::cli
