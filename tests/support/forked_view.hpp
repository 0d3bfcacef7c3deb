// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/forwarding_view.hpp"

namespace docent::detail {

/// A client which, from a moment on, is used in a child of its process.
class ForkedView final : public ForwardingView {
public:
    using ForwardingView::ForwardingView;
    bool is_here() const noexcept override { return !in_child; }
    bool in_child = false;
};

} // namespace docent::detail
