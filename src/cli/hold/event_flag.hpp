// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

namespace docent::cli {

/// Something that happens once, on any thread, and that poll() can wait for: its descriptor is readable from then on.
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
