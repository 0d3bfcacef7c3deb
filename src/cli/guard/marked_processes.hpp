// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <sys/types.h>

namespace docent::cli {

/// All processes that have this entry (`NAME=value`) in the environment they were started with: a program and all that it
/// started, also what it left behind. Not those of other users, and not those that were given another environment.
std::vector<pid_t> find_processes_marked(std::string_view entry);

} // namespace docent::cli
