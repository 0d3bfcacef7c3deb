// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <stdexcept>

#include <sys/resource.h>

using std::chrono::steady_clock;

namespace {

std::chrono::microseconds processor_time() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::chrono::seconds{usage.ru_utime.tv_sec + usage.ru_stime.tv_sec} +
           std::chrono::microseconds{usage.ru_utime.tv_usec + usage.ru_stime.tv_usec};
}

} // namespace

std::int64_t Durations::at(double fraction) const {
    if (values_.empty()) return 0;
    std::sort(values_.begin(), values_.end());
    const auto index = static_cast<std::size_t>(static_cast<double>(values_.size()) * fraction);
    return std::chrono::round<std::chrono::microseconds>(values_[std::min(index, values_.size() - 1)]).count();
}

std::string Durations::figures(const std::string& name) const {
    return " " + name + "_p50_us=" + std::to_string(at(0.5)) + " " + name + "_p99_us=" + std::to_string(at(0.99));
}

void Cycles::add(int i, steady_clock::time_point begin, steady_clock::time_point acquired) {
    const auto released = steady_clock::now();
    if (i < 0) return;
    acquires_.add(acquired - begin);
    releases_.add(released - acquired);
}

std::ostream& operator<<(std::ostream& out, const Cycles& cycles) {
    return out << "n=" << cycles.n_ << " warmup=" << cycles.warmup_ << cycles.acquires_.figures("acquire")
               << cycles.releases_.figures("release");
}

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

Contest::Contest(const Options& options)
    : window_(options), hold_(options.number("hold-us", 0)), pause_(options.number("pause-us", 0)) {}

void Contest::enter(const void* client) {
    const auto granted = steady_clock::now();
    const std::lock_guard lock(mutex_);
    if (++inside_ != 1) ++overlaps_;
    ++all_turns_;
    if (!window_.is_open()) return;
    ++turns_;
    if (last_ == client) ++again_;
    else if (released_) handoffs_.add(granted - *released_);
}

void Contest::leave(const void* client) {
    const std::lock_guard lock(mutex_);
    --inside_;
    last_ = client;
    released_ = steady_clock::now();
}

std::ostream& operator<<(std::ostream& out, const Contest& contest) {
    const auto turns = static_cast<double>(std::max<std::int64_t>(contest.turns_, 1));
    return out << "hold_us=" << contest.hold_.count() << " per_s=" << contest.window_.per_second(contest.turns_)
               << contest.handoffs_.figures("handoff") << " overlaps=" << contest.overlaps_ << " turns=" << contest.all_turns_
               << " again=" << static_cast<double>(contest.again_) / turns;
}
