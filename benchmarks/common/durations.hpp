// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Durations of one kind, and their values at a fraction of the sorted list, in whole microseconds.
class Durations {
public:
    void add(std::chrono::nanoseconds duration) { values_.push_back(duration); }

    /// Returns the value at `fraction` of the sorted list, computed as the peers' programs do; 0 if there is none.
    std::int64_t at(double fraction) {
        if (values_.empty()) return 0;
        std::sort(values_.begin(), values_.end());
        const auto index = static_cast<std::size_t>(static_cast<double>(values_.size()) * fraction);
        return std::chrono::round<std::chrono::microseconds>(values_[std::min(index, values_.size() - 1)]).count();
    }

private:
    std::vector<std::chrono::nanoseconds> values_;
};
