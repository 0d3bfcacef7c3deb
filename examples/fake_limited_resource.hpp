// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

/// An external resource for one user at a time; it notices a second user.
class FakeLimitedResource {
public:
    void use() {
        enter();
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        leave();
    }

    void enter() {
        if (in_use_.exchange(true)) throw std::logic_error("used by two clients at once");
        ++uses_;
    }
    void leave() { in_use_ = false; }

    int uses() const { return uses_; }

private:
    std::atomic<bool> in_use_{false};
    std::atomic<int> uses_{0};
};
