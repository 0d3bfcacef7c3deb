// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "c_client/virtual_loop.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

namespace docent::test {

/// One direction between two servers. It takes no time, keeps the order, and can be stalled.
class FakeLink {
public:
    explicit FakeLink(VirtualLoop& loop) : loop_(loop) {}

    void send(std::function<void()> function) {
        if (!stalled() && waiting_.empty()) return function();
        waiting_.push_back(std::move(function));
    }
    void stall(VirtualLoop::Duration length) {
        until_ = std::max(until_, loop_.now() + length);
        loop_.at(until_, [this] { deliver(); });
    }
    bool stalled() const { return loop_.now() < until_; }
    /// Drops everything that is under way.
    void reset() {
        waiting_.clear();
        until_ = {};
    }

private:
    void deliver() {
        while (!stalled() && !waiting_.empty()) {
            const auto first = std::move(waiting_.front());
            waiting_.pop_front();
            first();
        }
    }

    VirtualLoop& loop_;
    VirtualLoop::Time until_{};
    std::deque<std::function<void()>> waiting_;
};

} // namespace docent::test
