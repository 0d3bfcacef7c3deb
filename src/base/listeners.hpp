// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace docent::detail {

/// Objects that others own, each in the list for as long as it exists. Not thread-safe.
template <typename T> class WeakList {
public:
    /// Removes the dead entries when the number of entries has doubled, so there are at most twice as many as live ones, or 64.
    void add(std::weak_ptr<T> one) {
        entries_.push_back(std::move(one));
        if (entries_.size() < purge_at_) return;
        purge();
        purge_at_ = std::max<std::size_t>(64, 2 * entries_.size());
    }

    /// Calls `function` for each object. A call may drop objects, and may add objects; it is not called for added objects.
    template <typename Function> void for_each(Function function) {
        purge();
        for (const auto& entry : std::vector(entries_)) {
            if (const auto live = entry.lock()) function(*live);
        }
    }

    /// The number of live objects.
    std::size_t size() const {
        const auto is_live = [](const auto& entry) { return !entry.expired(); };
        return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), is_live));
    }
    bool empty() const { return size() == 0; }
    void clear() { entries_.clear(); }

private:
    void purge() {
        std::erase_if(entries_, [](const auto& entry) { return entry.expired(); });
    }

    std::vector<std::weak_ptr<T>> entries_;
    std::size_t purge_at_ = 64;
};

/// Functions that are told of something, each for as long as its registration exists. Not thread-safe.
template <typename... Args> class Listeners {
public:
    using Function = std::function<void(Args...)>;

    std::shared_ptr<void> add(Function function) {
        auto registration = std::make_shared<Function>(std::move(function));
        functions_.add(registration);
        return registration;
    }

    void tell(const Args&... args) {
        functions_.for_each([&](Function& function) { function(args...); });
    }

    /// Tells each function for the last time, and removes it from the list.
    void answer(const Args&... args) {
        auto last = std::exchange(functions_, {});
        last.for_each([&](Function& function) { function(args...); });
    }

    std::size_t size() const { return functions_.size(); }
    void clear() { functions_.clear(); }

private:
    WeakList<Function> functions_;
};

} // namespace docent::detail
