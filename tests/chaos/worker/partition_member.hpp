// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worker/works.hpp"

#include <docent/recipes/partitioner.hpp>

#include <memory>
#include <string>

namespace docent::chaos {

/// A worker's membership in the partition. Each item that it gets is a work.
class PartitionMember {
public:
    explicit PartitionMember(WorkerContext& context) : context_(context) {}
    ~PartitionMember() { leave(); }
    PartitionMember(const PartitionMember&) = delete;
    PartitionMember& operator=(const PartitionMember&) = delete;

    void join();
    /// Waits until all works on items have ended.
    void leave();

private:
    void work_on(const std::string& item, const Lease& lease);

    WorkerContext& context_;
    std::unique_ptr<Partitioner> member_;
};

} // namespace docent::chaos
