// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client.hpp>
#include <docent/error.hpp>

#include <string>
#include <vector>

namespace docent::test {

/// The children of a lock's path; none if the path does not exist: servers remove it when it is empty.
inline std::vector<std::string> names_in(Client& client, const std::string& path) {
    error_code ec;
    auto names = client.children(path, ec).names;
    if (ec && ec != server_error::no_node) throw Error(ec, path);
    return names;
}

} // namespace docent::test
