// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <docent/create_mode.hpp>

#include <string>
#include <vector>

namespace docent::zk {

/// Requests that make `path`'s proper ancestors, from the top. What their answers say: see detail::ParentAnswers.
std::vector<Request> requests_for_parents(const std::string& path, Parents kind);

} // namespace docent::zk
