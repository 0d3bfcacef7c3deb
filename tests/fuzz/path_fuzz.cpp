// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include <docent/path.hpp>

using docent::fuzz::require;

/// An accepted path can be split and joined again; a refused path has an explanation.
DOCENT_FUZZ_TARGET(path)(std::string_view path) {
    if (docent::check_path(path)) return require(!docent::explain_path(path).empty());
    require(path == "/" || docent::join_path(docent::parent_path(path), docent::node_name(path)) == path);
    for (const auto& ancestor : docent::ancestor_paths(path)) require(!docent::check_path(ancestor));
}
