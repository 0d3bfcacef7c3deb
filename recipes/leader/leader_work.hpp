// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starts and ends a user's work: a function or a coroutine.

#include "leader/selector_core.hpp"

#include <memory>

namespace docent::detail {

/// The parts of a selector.
struct SelectorParts {
    SelectorCore::Work work;
    SelectorCore::Report report;
};

SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::Work function,
                             const SelectorOptions& options);
SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::CoroutineWork function,
                             const SelectorOptions& options);

} // namespace docent::detail
