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

/// What one server shows of the recipes' nodes: each node, and what it is known by.
using Replica = std::map<std::string, std::string>;

/// Servers that show what most others do not, or do not show what most others do, the same at both looks; and an example of
/// each, `shows NODE ...` or `lacks NODE ...`.
std::map<std::size_t, std::string> odd_ones(const std::vector<Replica>& before, const std::vector<Replica>& after);

/// The sessions in a leader's answer to `dump`.
std::set<std::int64_t> sessions_in(std::string_view dump);

} // namespace docent::chaos
