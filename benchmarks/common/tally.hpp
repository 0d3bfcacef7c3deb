// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"
#include "common/window.hpp"

#include <chrono>
#include <cstdint>
#include <iosfwd>

/// Counts cycles until the window closes. Prints the cycles per second, and the processor time of this process for each cycle,
/// in user code and in the kernel. Use it from one thread.
class Tally {
public:
    explicit Tally(const Options& options);

    /// Begins the warm-up.
    void open();
    bool is_over() const { return window_.is_over(); }
    /// Counts a cycle.
    void add();
    /// `per_s=… processor_us=…`
    friend std::ostream& operator<<(std::ostream& out, const Tally& tally);

private:
    Window window_;
    std::chrono::microseconds processor_time_before_;
    std::int64_t done_in_window_ = 0;
    std::int64_t done_ = 0;
};
