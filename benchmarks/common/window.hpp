// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"

#include <chrono>
#include <cstdint>

/// The time when turns count: after `--warmup-ms`, for `--ms`. Earlier turns are warm-up.
class Window {
public:
    explicit Window(const Options& options);

    /// Begins the warm-up.
    void open();
    bool is_over() const { return std::chrono::steady_clock::now() >= end_; }
    bool is_open() const;
    /// Returns `count` divided by the length of the window, in seconds.
    double per_second(std::int64_t count) const;
    std::chrono::steady_clock::time_point end() const { return end_; }

private:
    std::chrono::milliseconds warmup_;
    std::chrono::milliseconds length_;
    std::chrono::steady_clock::time_point begin_ = {};
    std::chrono::steady_clock::time_point end_ = {};
};
