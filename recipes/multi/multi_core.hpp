// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of an InterProcessMultiLock.

#include "lease/lock_source.hpp"

#include <docent/recipes/inter_process_multi_lock.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace docent::detail {

class MultiCore {
public:
    /// Throws Error, as documented at the constructor of InterProcessMultiLock.
    explicit MultiCore(std::vector<std::shared_ptr<LockSource>> listed);

    const std::shared_ptr<ClientView>& view() const noexcept { return listed_.front()->view(); }
    const std::vector<std::shared_ptr<LockSource>>& listed() const noexcept { return listed_; }
    /// The locks in an order that is the same for all clients, as indexes of listed().
    const std::vector<std::size_t>& order() const noexcept { return order_; }
    std::vector<std::string> paths() const;

private:
    const std::vector<std::shared_ptr<LockSource>> listed_;
    std::vector<std::size_t> order_;
};

} // namespace docent::detail
