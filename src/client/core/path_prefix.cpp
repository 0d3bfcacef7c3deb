// SPDX-License-Identifier: Apache-2.0
#include "client/core/path_prefix.hpp"

namespace docent::detail {
namespace {

/// Calls `function` with each part of the request that has a path. It may change the path.
void for_each_named(zk::Request& request, const auto& function) {
    std::visit(
        [&function](auto& r) {
            if constexpr (requires { r.path; }) {
                function(r);
            } else if constexpr (requires { r.operations; }) {
                for (auto& operation : r.operations) std::visit([&function](auto& o) { function(o); }, operation);
            }
        },
        request);
}

bool makes_sequential(const zk::CreateRequest& create) {
    return is_sequential(create.mode);
}
bool makes_sequential(const auto&) {
    return false;
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
    for_each_named(request, [this](auto& named) {
        // A sequential name that the server appends to the root of this prefix must stay below it.
        const bool below = named.path == "/" && makes_sequential(named);
        named.path = below ? text_ + "/" : add(named.path);
    });
}

void PathPrefix::strip_from(zk::Reply& reply) const {
    reply.path = strip(reply.path);
    for (zk::MultiResult& result : reply.results) result.path = strip(result.path);
}

} // namespace docent::detail
