// SPDX-License-Identifier: Apache-2.0
#include "client/core/path_prefix.hpp"

#include <algorithm>

namespace docent::detail {
namespace {

/// Calls `function` with every path in the request, to be changed.
void for_each_path(zk::Request& request, const auto& function) {
    std::visit(
        [&function](auto& r) {
            if constexpr (requires { r.path; }) {
                function(r.path);
            } else if constexpr (requires { r.operations; }) {
                for (auto& operation : r.operations) std::visit([&function](auto& o) { function(o.path); }, operation);
            }
        },
        request);
}

} // namespace

std::string PathPrefix::add(const std::string& path) const {
    return path == "/" && !empty() ? text_ : text_ + path;
}

std::string PathPrefix::strip(const std::string& path) const {
    const bool has_it = path.starts_with(text_) && (path.size() == text_.size() || path[text_.size()] == '/');
    if (empty() || !has_it) return path;
    return path.size() == text_.size() ? "/" : path.substr(text_.size());
}

void PathPrefix::add_to(zk::Request& request) const {
    for_each_path(request, [this](std::string& path) { path = add(path); });
}

void PathPrefix::strip_from(zk::Reply& reply) const {
    reply.path = strip(reply.path);
    for (zk::MultiResult& result : reply.results) result.path = strip(result.path);
}

bool creates(const zk::Request& request) {
    if (std::holds_alternative<zk::CreateRequest>(request)) return true;
    const auto* multi = std::get_if<zk::MultiRequest>(&request);
    return multi != nullptr && std::any_of(multi->operations.begin(), multi->operations.end(), [](const auto& operation) {
               return std::holds_alternative<zk::CreateRequest>(operation);
           });
}

} // namespace docent::detail
