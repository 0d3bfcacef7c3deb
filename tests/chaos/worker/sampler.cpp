// SPDX-License-Identifier: Apache-2.0
#include "worker/sampler.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace docent::chaos {

using namespace std::chrono_literals;

Sampler::Sampler(Journal& journal) : journal_(journal), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Sampler::~Sampler() = default;

void Sampler::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        {
            const std::lock_guard lock(mutex_);
            for (Watch* watch : watches_) watch->ask();
        }
        std::this_thread::sleep_for(5ms);
    }
}

Sampler::Watch::Watch(Sampler& sampler, std::int64_t work, std::function<bool()> owns, Asked asked)
    : sampler_(sampler), work_(work), owns_(std::move(owns)) {
    if (asked == Asked::by_its_owner) return;
    const std::lock_guard lock(sampler_.mutex_);
    sampler_.watches_.push_back(this);
}

Sampler::Watch::~Watch() {
    const std::lock_guard lock(sampler_.mutex_);
    sampler_.watches_.remove(this);
}

bool Sampler::Watch::still_owns() {
    const std::lock_guard lock(sampler_.mutex_);
    return ask();
}

bool Sampler::Watch::ask() {
    if (said_no_) return false;
    const std::int64_t before = now();
    if (!owns_()) {
        said_no_ = true;
        sampler_.journal_.add("lost " + std::to_string(work_));
        return false;
    }
    if (!std::exchange(said_yes_, true)) sampler_.journal_.add(before, "yes " + std::to_string(work_));
    else sampler_.journal_.still(before, work_);
    return true;
}

} // namespace docent::chaos
