// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client.hpp>

#include <string>
#include <vector>

namespace docent::cli {

/// Whether the path that has these children is a semaphore. One at which nobody has waited for a while has no gate any more,
/// for servers remove empty containers; then it asks whether permits are held. Errors: it is none.
bool is_semaphore(Client& client, const std::string& path, const std::vector<std::string>& children);

} // namespace docent::cli
