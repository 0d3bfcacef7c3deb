// SPDX-License-Identifier: Apache-2.0
#pragma once

// Clients with one property that a test changes or observes.

#include "client/core/forwarding_view.hpp"

#include <docent/client_config.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

/// A client that compresses data by default.
class CompressingView final : public ForwardingView {
public:
    explicit CompressingView(std::shared_ptr<ClientView> inner)
        : ForwardingView(std::move(inner)), config_(ForwardingView::config()) {
        config_.compression = Compression::compressed;
    }
    const ClientConfig& config() const override { return config_; }

private:
    ClientConfig config_;
};

/// A client that counts the watches that its users give up. A client in memory ignores them.
class ForgettingView final : public ForwardingView {
public:
    using ForwardingView::ForwardingView;

    void forget_watch(const std::string& path, zk::WatchKind kind) override {
        ++forgotten[{path, kind}];
        ForwardingView::forget_watch(path, kind);
    }

    std::map<std::pair<std::string, zk::WatchKind>, int> forgotten;
};

/// A client that is used in a child of its process as soon as a test sets `in_child`.
class ForkedView final : public ForwardingView {
public:
    using ForwardingView::ForwardingView;
    bool is_here() const noexcept override { return !in_child; }
    bool in_child = false;
};

} // namespace docent::detail
