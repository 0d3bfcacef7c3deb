// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <string>
#include <utility>

namespace docent::detail {

/// The text of a chroot or a namespace, in front of the paths that users know.
class PathPrefix {
public:
    PathPrefix() = default;
    /// `text`: empty, or a valid path other than `/`.
    explicit PathPrefix(std::string text) : text_(std::move(text)) {}

    bool empty() const { return text_.empty(); }
    const std::string& text() const { return text_; }

    std::string add(const std::string& path) const;
    /// Removes the prefix. A path without it stays unchanged.
    std::string strip(const std::string& path) const;

    void add_to(zk::Request& request) const;
    void strip_from(zk::Reply& reply) const;

private:
    std::string text_;
};

} // namespace docent::detail
