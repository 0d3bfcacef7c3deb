// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// A number of this process's /proc/self/status; memory is in KiB.
long process_status(const std::string& key);
