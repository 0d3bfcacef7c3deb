// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace docent::cli {

/// A warning for a path with nodes of several kinds of lock, which ignore each other. Empty with one kind. `kinds`: their names
/// in the order of the queues; a name may occur several times.
std::string mixture_text(const std::vector<std::string>& kinds);

} // namespace docent::cli
