// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/guard_protocol.hpp"

#include <string>
#include <vector>

#include <signal.h>
#include <sys/types.h>

namespace docent::cli {

/// The body of the child that becomes the program. Waits for a StartOrder from `docent`, a packet socket, and executes `words`
/// with the variables of the order and the signal mask `mask`, unless it is too late. Reports a failure on the socket, which
/// exec closes. Dies with `parent`.
void become_program(const std::vector<std::string>& words, const sigset_t& mask, int docent, pid_t parent);

/// docent's side: sends the order and waits for the result until `latest`. Returns 0, errno, or `too_late`.
int start_program(int seat, BootClock::time_point latest, const std::vector<std::string>& more_environment);

} // namespace docent::cli
