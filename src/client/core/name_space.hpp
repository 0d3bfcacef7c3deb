// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/forwarding_view.hpp"
#include "zk/request.hpp"

#include <memory>
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

/// A namespace without the slash that may be in front.
inline std::string without_slash(std::string name) {
    if (name.starts_with('/')) name.erase(0, 1);
    return name;
}

/// A view of a client with a prefix: a chroot or a namespace. A missing prefix is created with the parents of a node, after a
/// transaction that found no node, and after a request for `/` that found no node. Reads of a chroot's `/` do not create it.
class NameSpace final : public ForwardingView {
public:
    enum class Kind { chroot, name_space };

    NameSpace(std::shared_ptr<ClientView> client, PathPrefix prefix, Kind kind)
        : ForwardingView(std::move(client)), prefix_(std::move(prefix)), kind_(kind) {}

    void submit(zk::Request request, zk::ReplyHandler handler) override;
    void forget_watch(const std::string& path, zk::WatchKind kind) override;
    void remove_in_background(RemovalOrder order, Removed done) override;
    void on_node_gone(const std::string& path) override { inner().on_node_gone(prefix_.add(path)); }
    void on_guid_gone(const std::string& path, const std::string& guid) override {
        inner().on_guid_gone(prefix_.add(path), guid);
    }
    bool has_prefix() const override { return true; }
    void submit_prefix(const std::shared_ptr<ParentAnswers>& answers) override;
    std::string server_path(const std::string& path) const override { return inner().server_path(prefix_.add(path)); }

private:
    void on_missing(zk::Request request, zk::Reply&& reply, const zk::ReplyHandler& handler);

    const PathPrefix prefix_;
    const Kind kind_;
};

} // namespace docent::detail
