// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Returns a number from this process's /proc/self/status; memory is in KiB.
long process_status(const std::string& key);
