// SPDX-License-Identifier: Apache-2.0
#include "history/journal.hpp"

#include "posix/descriptors.hpp"

#include <algorithm>

#include <fcntl.h>
#include <time.h>

namespace docent::chaos {

std::int64_t now() {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t wall_now() {
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Journal::Journal(const std::filesystem::path& file)
    : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
    if (!file_) throw posix::last_error(file.c_str());
}

void Journal::add(std::int64_t time, const std::string& event) {
    const std::lock_guard lock(mutex_);
    last_still_ = 0;
    std::string line = std::to_string(time) + ' ' + event;
    std::replace(line.begin(), line.end(), '\n', ' ');
    last_ = end_;
    write(line + '\n');
}

void Journal::still(std::int64_t time, std::int64_t work) {
    const std::lock_guard lock(mutex_);
    std::string digits = std::to_string(time);
    digits.insert(0, 20 - digits.size(), '0'); // the line may be overwritten, so its length must not change
    if (last_still_ == work) end_ = last_;
    last_ = end_;
    last_still_ = work;
    write(digits + " still " + std::to_string(work) + '\n');
}

void Journal::write(const std::string& line) {
    const ssize_t written = ::pwrite(file_.get(), line.data(), line.size(), end_);
    if (written != static_cast<ssize_t>(line.size())) throw posix::last_error("a history");
    end_ += written;
}

} // namespace docent::chaos
