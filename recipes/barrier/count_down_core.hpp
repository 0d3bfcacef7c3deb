// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "atomic/atomic_core.hpp"
#include "barrier/count_down_rules.hpp"
#include "client/core/post_at_end.hpp"

#include <docent/recipes/barrier/count_down_latch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

/// The state of a latch.
class CountDownCore {
public:
    CountDownCore(std::shared_ptr<AtomicCore> counter, std::int64_t count)
        : counter_(std::move(counter)), count_(count),
          marking_(post_at_end(counter_->view(), [counter = counter_] { counter->stop(); })) {}

    const std::shared_ptr<AtomicCore>& counter() const { return counter_; }
    std::int64_t count() const { return count_; }
    std::int64_t left(std::int64_t counted) const { return left_to_count(counted, count_); }

private:
    const std::shared_ptr<AtomicCore> counter_;
    const std::int64_t count_;
    const Registration marking_; // removes the marker at the end
};

} // namespace docent::detail
