// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace docent::test {

/// The children of a node on an up-to-date server, in the order of their numbers. Nothing: the server did not tell.
inline std::optional<std::vector<std::string>> try_queue_at(Client& observer, const std::string& path) {
    error_code ec;
    observer.sync(path, ec);
    if (ec) return std::nullopt;
    std::vector<std::string> names = observer.children(path, ec).names;
    if (ec && ec != server_error::no_node) return std::nullopt;
    const auto number = [](const std::string& name) {
        return name.substr(name.size() - std::min<std::size_t>(name.size(), 10));
    };
    std::sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
    return names;
}

/// The same; empty if the server did not tell.
inline std::vector<std::string> queue_at(Client& observer, const std::string& path) {
    return try_queue_at(observer, path).value_or(std::vector<std::string>());
}

/// Waits until the queue has this length, also across the loss of a connection or a session.
inline bool queue_reaches(Client& observer, const std::string& path, std::size_t length) {
    return eventually([&] {
        const auto queue = try_queue_at(observer, path);
        return queue && queue->size() == length;
    });
}

} // namespace docent::test
