// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

namespace docent::cli {

/// A flag that any thread can raise once. Its descriptor is readable from then on, so poll() can wait for it.
class EventFlag {
public:
    EventFlag();
    void raise() noexcept;
    bool raised() const noexcept;
    int fd() const noexcept { return descriptor_.get(); }

private:
    posix::UniqueFd descriptor_;
};

} // namespace docent::cli
