// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <string>
#include <utility>

namespace docent::detail {

/// A chroot or a namespace: what stands in front of the paths that users know.
class PathPrefix {
public:
    PathPrefix() = default;
    /// Empty, or a valid path other than the root.
    explicit PathPrefix(std::string text) : text_(std::move(text)) {}

    bool empty() const { return text_.empty(); }
    const std::string& text() const { return text_; }

    std::string add(const std::string& path) const;
    /// A path that does not have it stays as it is.
    std::string strip(const std::string& path) const;

    void add_to(zk::Request& request) const;
    void strip_from(zk::Reply& reply) const;

private:
    std::string text_;
};

} // namespace docent::detail
