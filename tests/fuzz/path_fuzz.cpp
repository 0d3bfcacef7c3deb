// SPDX-License-Identifier: Apache-2.0
#include <docent/path.hpp>

#include <cstdlib>

/// What is accepted can be taken apart and put together again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view path(reinterpret_cast<const char*>(data), size);
    if (docent::check_path(path)) return docent::explain_path(path).empty() ? (std::abort(), 0) : 0;
    if (path != "/" && docent::join_path(docent::parent_path(path), docent::node_name(path)) != path) std::abort();
    for (const auto& ancestor : docent::ancestor_paths(path)) {
        if (docent::check_path(ancestor)) std::abort();
    }
    return 0;
}
