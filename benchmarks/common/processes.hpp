// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "processes/shared_by_processes.hpp" // of tests/support

#include <functional>
#include <string>

/// Runs `work(i)` in `count` child processes, and waits for all. Call it before there is any other thread. Errors: throws if
/// one of them fails. They end when this process ends.
void in_processes(int count, const std::function<void(int)>& work);

/// Returns a number from this process's /proc/self/status; memory is in KiB.
long process_status(const std::string& key);
