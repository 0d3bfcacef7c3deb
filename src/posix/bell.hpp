// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <sys/eventfd.h>

#include <memory>
#include <utility>

namespace docent::posix {

/// A descriptor that is readable from ring() to silence(); both from any thread.
class Bell {
public:
    /// Null when there is no descriptor for it.
    static std::shared_ptr<Bell> make() {
        UniqueFd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        return fd ? std::shared_ptr<Bell>(new Bell(std::move(fd))) : nullptr;
    }

    int descriptor() const noexcept { return fd_.get(); }
    void ring() const noexcept { static_cast<void>(::eventfd_write(fd_.get(), 1)); }
    void silence() const noexcept {
        eventfd_t count = 0;
        static_cast<void>(::eventfd_read(fd_.get(), &count));
    }

private:
    explicit Bell(UniqueFd fd) : fd_(std::move(fd)) {}

    UniqueFd fd_;
};

} // namespace docent::posix
