// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/guard_protocol.hpp"

#include <string>
#include <vector>

#include <signal.h>
#include <sys/types.h>

namespace docent::cli {

/// The body of the child that becomes the program, with `mask`: waits for a StartOrder from `docent`, a packet socket, and
/// executes `words` with the variables named there, unless it is too late. Says there why it could not; an exec closes it.
/// Dies with `parent`.
void become_program(const std::vector<std::string>& words, const sigset_t& mask, int docent, pid_t parent);

/// Docent's side: sends the order and waits for what comes of it, until `latest`. 0, errno, or `too_late`.
int start_program(int seat, BootClock::time_point latest, const std::vector<std::string>& more_environment);

} // namespace docent::cli
