// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/process_folder.hpp"

#include <vector>

#include <sys/types.h>

namespace docent::cli {

/// Those that run among the children of `root`, their children, and so on.
std::vector<ProcessEntry> find_descendants(pid_t root, const std::vector<ProcessEntry>& table);

/// Our descendants that lose their parent become our children from now on, not init's. False if that cannot be.
bool adopt_orphans() noexcept;

/// Whether this process has children, of its own or of whoever became it.
bool has_children() noexcept;

} // namespace docent::cli
