// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"

/// Threads that sleep in a ring, and wake one another: a system call to wake the next one, another one to sleep. What a turn
/// takes on this machine that is handed on among threads, whatever else a lock does.
void run_turns(const Options& options);
