// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace docent {

/// What is said of a lock when its object is made.
struct LockOptions {
    /// Data of its nodes, for people and tools to read (`docent inspect`); without it `ClientConfig::default_data`. Compressed
    /// as `ClientConfig::compression` says.
    std::optional<std::string> node_data = {};
};

} // namespace docent
