// SPDX-License-Identifier: Apache-2.0
#include "worker/partition_member.hpp"

#include <exception>
#include <thread>

namespace docent::chaos {

using namespace std::chrono_literals;

void PartitionMember::join() {
    PartitionOptions options{.id = context_.task.name, .join_delay = 300ms, .leave_grace = 300ms, .stop_limit = 10s};
    options.on_failure = [&journal = context_.journal](const std::exception_ptr& failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& e) {
            journal.add(std::string("obstacle ") + e.what());
        }
    };
    member_ = std::make_unique<Partitioner>(
        context_.client, partition, numbered_items(partition_items),
        [this](const std::string& item, const Lease& lease) { work_on(item, lease); }, options);
    member_->start();
}

void PartitionMember::leave() {
    if (!member_) return;
    member_->close();
    member_.reset();
}

void PartitionMember::work_on(const std::string& item, const Lease& lease) {
    const std::int64_t work = ++context_.works;
    const std::string path = partition_item_path(partition, item);
    context_.journal.add("ask " + std::to_string(work) + " item " + path);
    record_grant(context_.journal, work, path, "exclusive", lease);
    {
        Sampler::Watch watch(context_.sampler, work, [&] { return lease.owns(); });
        while (watch.still_owns() && !lease.stop_token().stop_requested()) std::this_thread::sleep_for(5ms);
        const bool is_slow = work % 5 == 0; // to stop
        if (is_slow) std::this_thread::sleep_for(500ms);
    }
    context_.journal.add("released " + std::to_string(work) + " well");
}

} // namespace docent::chaos
