// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/process_folder.hpp"

#include <vector>

#include <sys/types.h>

namespace docent::cli {

/// The running descendants of `root`.
std::vector<ProcessEntry> find_descendants(pid_t root, const std::vector<ProcessEntry>& table);

/// From now on, descendants that lose their parent become children of this process, not of init. Returns false on a failure.
bool adopt_orphans() noexcept;

/// Whether this process has children, also from before an exec.
bool has_children() noexcept;

} // namespace docent::cli
