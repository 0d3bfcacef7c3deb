// SPDX-License-Identifier: Apache-2.0
#include "zk/parents.hpp"

#include <docent/path.hpp>

#include <utility>

namespace docent::zk {

std::vector<Request> requests_for_parents(const std::string& path, Parents kind) {
    std::vector<Request> requests;
    const CreateMode mode = kind == Parents::container ? CreateMode::container : CreateMode::persistent;
    for (std::string& ancestor : ancestor_paths(path)) {
        requests.emplace_back(CreateRequest{.path = std::move(ancestor), .mode = mode, .is_parent = true});
    }
    return requests;
}

} // namespace docent::zk
