// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/command_cgroup.hpp"
#include "cli/guard/process_folder.hpp"
#include "posix/unique_fd.hpp"

#include <string>
#include <vector>

#include <signal.h>

namespace docent::cli {

/// What the guard has of docent: the ends of two packet sockets, and how the program is to be run.
struct GuardPost {
    const std::vector<std::string>& words;
    sigset_t mask;  // the program's
    int end_signal; // by which it is asked to end
    const ProcessFolder& processes;
    CommandCgroup* cgroup;  // for the program; may be null
    posix::UniqueFd orders; // docent's, and our reports
    posix::UniqueFd start;  // for the child that becomes the program
};

/// The body of the guard: forks that child, leaves docent's session and terminal, and does what GuardMachine says until docent
/// is gone and nothing is left to be killed. Then it removes the cgroup.
void run_guard(GuardPost post);

} // namespace docent::cli
