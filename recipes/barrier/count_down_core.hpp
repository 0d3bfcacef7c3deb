// SPDX-License-Identifier: Apache-2.0
#pragma once

// A count-down latch, and the meaning of its node's data.

#include "atomic/atomic_core.hpp"
#include "shared/number_bytes.hpp"

#include <docent/error.hpp>
#include <docent/recipes/barrier/count_down_latch.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

/// The counts that are left: 0 or more, also if other clients have written other numbers.
inline std::int64_t left_to_count(std::int64_t counted, std::int64_t count) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    if (counted >= count) return 0;
    return counted < 0 && count > largest + counted ? largest : count - counted;
}

/// The new data after `times` more counts. After the largest number, nothing is counted any more: a wrapped number would close
/// the latch again.
inline NewData count_on(const std::optional<std::string>& before, std::int64_t times) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    NewData wish;
    const std::int64_t counted = decode_number(before, wish.ec);
    if (times < 1) wish.ec = server_error::bad_arguments;
    if (!wish.ec) wish.data = encode_number(counted > largest - times ? largest : counted + times);
    return wish;
}

/// The state of a latch.
class CountDownCore {
public:
    CountDownCore(std::shared_ptr<AtomicCore> counter, std::int64_t count)
        : counter_(std::move(counter)), count_(count),
          marking_(post_at_end(counter_->view(), [counter = counter_] { counter->stop(); })) {}

    const std::shared_ptr<AtomicCore>& counter() const { return counter_; }
    std::int64_t left(std::int64_t counted) const { return left_to_count(counted, count_); }

private:
    const std::shared_ptr<AtomicCore> counter_;
    const std::int64_t count_;
    const Registration marking_; // removes the marker at the end
};

} // namespace docent::detail
