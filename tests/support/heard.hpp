// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace docent::test {

/// The values that a listener has heard, in order. Copies share them. Each listener holds a copy, because the end of a
/// Subscription does not wait for a call that is under way.
template <typename T> class Heard {
public:
    void add(T value) const {
        const std::lock_guard lock(state_->mutex);
        state_->values.push_back(std::move(value));
    }

    std::vector<T> all() const {
        const std::lock_guard lock(state_->mutex);
        return state_->values;
    }

private:
    struct State {
        std::mutex mutex;
        std::vector<T> values;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

} // namespace docent::test
