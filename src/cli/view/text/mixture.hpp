// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace docent::cli {

/// What is to be said where nodes of several kinds of lock are at one path: each takes notice of its own kind only. Empty if
/// there are not several. `kinds`: what they are called, in the order of the queues, with repetitions perhaps.
std::string mixture_text(const std::vector<std::string>& kinds);

} // namespace docent::cli
