// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

#include <string>
#include <vector>

#include <signal.h>

namespace docent::cli {

/// What the guard has of docent: the ends of two packet sockets, and how the program is to be run.
struct GuardPost {
    const std::vector<std::string>& words;
    sigset_t mask;          // the program's
    int end_signal;         // by which it is asked to end
    posix::UniqueFd orders; // docent's, and our reports
    posix::UniqueFd start;  // for the child that becomes the program
};

/// The body of the guard: forks that child, leaves docent's session and terminal, and does what GuardMachine says until docent
/// is gone and nothing is left to be killed.
void run_guard(GuardPost post);

} // namespace docent::cli
