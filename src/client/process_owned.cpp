// SPDX-License-Identifier: Apache-2.0
#include <docent/detail/process_owned.hpp>

#include "posix/process_mark.hpp"

namespace docent::detail {

std::uint64_t this_process() noexcept {
    return posix::this_process();
}

void keep_for_ever(std::shared_ptr<void> object) noexcept {
    posix::keep_for_ever(std::move(object));
}

} // namespace docent::detail
