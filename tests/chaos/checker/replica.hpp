// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace docent::chaos {

/// The recipes' nodes on one server: the path, and `czxid CZXID session ID`.
using Replica = std::map<std::string, std::string>;

/// Finds servers that differ from the majority: they show a node that most others lack, or lack a node that most others show.
/// Counts only differences that both snapshots show. The value is an example: `shows NODE ...` or `lacks NODE ...`.
std::map<std::size_t, std::string> odd_ones(const std::vector<Replica>& before, const std::vector<Replica>& after);

/// The sessions in a leader's answer to `dump`.
std::set<std::int64_t> sessions_in(std::string_view dump);

} // namespace docent::chaos
