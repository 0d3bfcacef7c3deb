// SPDX-License-Identifier: Apache-2.0
#pragma once

// Acquires several locks of a FakeWorld at once, again and again, and checks the promises of the multi-lock.

#include "fake_multi_lock.hpp"
#include "lease/lease_core.hpp"

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {

class MultiContestant final : public FakeActor {
public:
    MultiContestant(FakeWorld& world, std::size_t client, const std::vector<std::string>& paths, int turns)
        : world_(world), client_(world.share(client)), core_(fake_multi_lock(world, client, paths)), turns_(turns) {
        world.add(*this);
    }

    bool ready() const override { return turns_ > 0 && !waiting_ && !lease_; }
    void act() override {
        --turns_;
        waiting_ = true;
        initiate_acquire(core_, {}, {}, [this](error_code ec, MultiLease lease) { on_done(ec, std::move(lease)); });
    }

    bool finished() const { return turns_ == 0 && !waiting_ && !lease_; }
    bool waiting() const { return waiting_; }

    /// Each node that it owns must be the first in its queue, unless a fault has just removed the node.
    void check_exclusion() {
        if (!lease_.owns()) return;
        for (std::size_t i = 0; i < lease_.leases().size(); ++i) {
            const auto path = lease_.leases()[i].node_path();
            const auto first = world_.first(core_->listed()[i]->path());
            if (!world_.was_taken(path) && first != path) complaints.push_back(path + " is owned, first is " + first);
        }
    }

    std::vector<std::string> complaints;
    std::vector<error_code> failed;
    int granted = 0;

private:
    void on_done(error_code ec, MultiLease lease) {
        if (!waiting_) complaints.emplace_back("completed twice");
        waiting_ = false;
        if (ec) {
            if (lease) complaints.emplace_back("an error and a lease");
            failed.push_back(ec);
            return;
        }
        ++granted;
        lease_ = std::move(lease);
        const std::chrono::milliseconds length{world_.surroundings().below(30)};
        timer_ = client_->call_at(client_->now() + length, [this] { lease_ = MultiLease{}; });
    }

    FakeWorld& world_;
    std::shared_ptr<FakeClient> client_;
    const std::shared_ptr<MultiCore> core_;
    int turns_;
    bool waiting_ = false;
    MultiLease lease_;
    Registration timer_;
};

} // namespace docent::detail
