// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <docent/create_mode.hpp>

#include <string>
#include <vector>

namespace docent::zk {

/// The requests that create the parents of `path`, from the top. detail::ParentAnswers evaluates the answers.
std::vector<Request> requests_for_parents(const std::string& path, Parents kind);

} // namespace docent::zk
