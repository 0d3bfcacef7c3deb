// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/forwarding_view.hpp"

#include <map>
#include <string>
#include <utility>

namespace docent::detail {

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

} // namespace docent::detail
