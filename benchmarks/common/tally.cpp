// SPDX-License-Identifier: Apache-2.0
#include "common/tally.hpp"

#include <ostream>

#include <sys/resource.h>

namespace {

std::chrono::microseconds processor_time() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::chrono::seconds{usage.ru_utime.tv_sec + usage.ru_stime.tv_sec} +
           std::chrono::microseconds{usage.ru_utime.tv_usec + usage.ru_stime.tv_usec};
}

} // namespace

Tally::Tally(const Options& options) : window_(options), processor_time_before_(processor_time()) {}

void Tally::open() {
    window_.open();
    processor_time_before_ = processor_time();
    done_in_window_ = done_ = 0;
}

void Tally::add() {
    ++done_;
    if (window_.is_open()) ++done_in_window_;
}

std::ostream& operator<<(std::ostream& out, const Tally& tally) {
    const auto taken = processor_time() - tally.processor_time_before_;
    const auto each = tally.done_ == 0 ? 0.0 : static_cast<double>(taken.count()) / static_cast<double>(tally.done_);
    return out << "per_s=" << tally.window_.per_second(tally.done_in_window_) << " processor_us=" << each;
}
