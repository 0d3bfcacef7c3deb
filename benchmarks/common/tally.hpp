// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"
#include "common/window.hpp"

#include <chrono>
#include <cstdint>
#include <iosfwd>

/// What is done again and again until the window closes: how much of it in that time, and what each takes of this process's
/// processors, in its own code and in the kernel. By one thread.
class Tally {
public:
    explicit Tally(const Options& options);

    /// The warm-up begins now.
    void open();
    bool is_over() const { return window_.is_over(); }
    /// One more is done.
    void add();
    /// `per_s=… processor_us=…`
    friend std::ostream& operator<<(std::ostream& out, const Tally& tally);

private:
    Window window_;
    std::chrono::microseconds processor_time_before_;
    std::int64_t done_in_window_ = 0;
    std::int64_t done_ = 0;
};
