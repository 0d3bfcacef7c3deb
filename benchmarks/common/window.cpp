// SPDX-License-Identifier: Apache-2.0
#include "common/window.hpp"

using std::chrono::steady_clock;

Window::Window(const Options& options) : warmup_(options.number("warmup-ms", 500)), length_(options.number("ms")) {
    if (length_.count() == 0) throw std::invalid_argument("--ms must not be 0");
    open();
}

void Window::open() {
    begin_ = steady_clock::now() + warmup_;
    end_ = begin_ + length_;
}

bool Window::is_open() const {
    const auto now = steady_clock::now();
    return now >= begin_ && now < end_;
}

double Window::per_second(std::int64_t count) const {
    return static_cast<double>(count) / std::chrono::duration<double>(length_).count();
}
