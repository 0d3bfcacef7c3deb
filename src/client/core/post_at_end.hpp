// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace docent::detail {

/// Posts `function` to the strand when the last copy of what it returns goes, on any thread: for objects whose end ends what
/// they have begun. Without memory for that, what they have begun goes on until the client is closed.
inline Registration post_at_end(std::shared_ptr<ClientView> view, std::function<void()> function) {
    auto* const object = view.get();
    return {object, [view = std::move(view), function = std::move(function)](void*) mutable noexcept {
                try {
                    view->post(std::move(function));
                } catch (...) {
                }
                view.reset();
            }};
}

} // namespace docent::detail
