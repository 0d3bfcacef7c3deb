// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the members of one InterProcessMultiLock share.

#include "lease/lock_source.hpp"

#include <docent/recipes/inter_process_multi_lock.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace docent::detail {

class MultiCore {
public:
    /// Throws Error, as the constructor of InterProcessMultiLock says.
    explicit MultiCore(std::vector<std::shared_ptr<LockSource>> listed);

    const std::shared_ptr<ClientView>& view() const noexcept { return listed_.front()->view(); }
    const std::vector<std::shared_ptr<LockSource>>& listed() const noexcept { return listed_; }
    /// The locks in the order that is the same for everybody: of each, its place in listed().
    const std::vector<std::size_t>& order() const noexcept { return order_; }
    std::vector<std::string> paths() const;

private:
    const std::vector<std::shared_ptr<LockSource>> listed_;
    std::vector<std::size_t> order_;
};

} // namespace docent::detail
