// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"

/// Threads that sleep in a ring, and wake each other: one system call to wake the next thread, and one to sleep. This is the
/// cost of a turn that goes from thread to thread on this machine, without the cost of a lock.
void run_turns(const Options& options);
