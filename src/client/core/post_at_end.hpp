// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace docent::detail {

/// Posts `function` to the strand when the last copy of the returned registration is destroyed, on any thread. For objects
/// whose destruction ends their work. Without memory, the work continues until the client is closed.
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
