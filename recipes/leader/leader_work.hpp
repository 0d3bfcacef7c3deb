// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a user's work is begun and ended, as a function or as a coroutine.

#include "leader/selector_core.hpp"

#include <memory>

namespace docent::detail {

/// What a selector is made of.
struct SelectorParts {
    SelectorCore::Work work;
    SelectorCore::Report report;
};

SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::Work function,
                             const SelectorOptions& options);
SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::CoroutineWork function,
                             const SelectorOptions& options);

} // namespace docent::detail
