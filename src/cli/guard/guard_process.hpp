// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/command_cgroup.hpp"
#include "cli/guard/process_folder.hpp"
#include "posix/unique_fd.hpp"

#include <string>
#include <vector>

#include <signal.h>

namespace docent::cli {

/// The arguments of the guard process: its ends of two packet sockets, and how to run the program.
struct GuardPost {
    const std::vector<std::string>& words;
    sigset_t mask;  // the program's signal mask
    int end_signal; // asks the program to end
    const ProcessFolder& processes;
    CommandCgroup* cgroup;  // for the program; may be null
    posix::UniqueFd orders; // carries orders from docent, and reports to it
    posix::UniqueFd start;  // for the child that becomes the program
};

/// The body of the guard: forks the child, leaves docent's session and terminal, and carries out the actions of GuardMachine
/// until docent has ended and no process is left to kill. Then removes the cgroup.
void run_guard(GuardPost post);

} // namespace docent::cli
