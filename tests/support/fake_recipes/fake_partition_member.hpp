// SPDX-License-Identifier: Apache-2.0
#pragma once

// A process that works on the items of a partition in spite of all faults, and checks the promises of the Partitioner.

#include "fake_recipes/actor.hpp"
#include "fake_recipes/fake_partitioner.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// The highest fencing token of each item, for all members of a world.
using ItemTokens = std::map<std::string, std::int64_t>;

class FakePartitionMember final : public Actor {
public:
    struct Manners {
        double dawdles = 0; // chance that its work takes longer than the stop limit to stop
        double returns = 0; // chance that its work returns although the member has the item
        double leaves = 0;  // chance that it leaves at some time, and comes again
    };
    static constexpr std::chrono::milliseconds join_delay{600};
    static constexpr std::chrono::milliseconds leave_grace{800};
    static constexpr std::chrono::milliseconds stop_limit{1500};

    FakePartitionMember(FakeWorld& world, std::size_t client, std::vector<std::string> items, ItemTokens& tokens,
                        Manners manners)
        : Actor(world, client), items_(std::move(items)), tokens_(tokens), manners_(manners) {
        name = "member " + std::to_string(client);
    }

    bool ready() const override { return wanted_ && !member_; }
    void act() override {
        member_ = std::make_unique<FakePartitioner>(world_, client_index_, items_,
                                                    PartitionOptions{.id = "m" + std::to_string(client_index_),
                                                                     .join_delay = join_delay,
                                                                     .leave_grace = leave_grace,
                                                                     .stop_limit = stop_limit,
                                                                     .keep_items_on_close = chance(0.3)});
        member_->on_begin([this](const std::string& item, const Lease& lease) { on_begin(item, lease); });
        static_cast<void>(member_->core->start());
        if (chance(manners_.leaves)) leaving_ = later(random_ms(8000), [this] { leave(); });
    }
    /// From now on, work stops when it is asked to, and the member stays.
    void calm_down() override {
        manners_ = {};
        leaving_.reset();
    }
    void leave() {
        if (!member_ || std::exchange(closing_, true)) return;
        member_->core->close([this] { closed_ = true; });
    }
    void leave_for_ever() {
        wanted_ = false;
        leave();
    }
    bool finished() const override { return !wanted_ && !member_; }

    void look() override {
        if (!member_) return;
        for (const auto& [item, term] : member_->terms()) {
            check_exclusion(item, *term->leadership());
            if (term->leadership()->stop_token().stop_requested() && !ending_.contains(item)) stop_soon(item);
        }
        for (const auto& wrong : member_->wrong()) complain(wrong);
        if (closed_) {
            if (!member_->terms().empty()) complain("is closed, and works");
            member_.reset();
            ending_.clear();
            closing_ = closed_ = false;
        }
    }
    const FakePartitioner* member() const { return member_.get(); }

private:
    void on_begin(const std::string& item, const Lease& lease) {
        ++achieved;
        if (!world_.was_ever_first(lease.node_path())) complain("works on " + item + ", and never was first");
        auto& token = tokens_[item];
        // A member whose node an administrator deletes may hear of its grant later.
        if (lease.fencing_token() <= token && !world_.was_taken(lease.node_path()))
            complain("the token of " + item + " is not higher than the last");
        token = std::max(token, lease.fencing_token());
        ending_.erase(item);
        if (chance(manners_.returns)) ending_[item] = later(random_ms(3000), [this, item] { end(item); });
    }
    void stop_soon(const std::string& item) {
        const auto length = chance(manners_.dawdles) ? random_ms(5000) : random_ms(100);
        ending_[item] = later(length, [this, item] { end(item); });
    }
    void end(const std::string& item) {
        const auto last = ending_.extract(item); // the timer that calls this
        if (member_) member_->end_work(item);
    }
    /// While it owns an item, no other member is first in the queue of the item.
    void check_exclusion(const std::string& item, const Lease& lease) {
        if (!lease.owns() || world_.was_taken(lease.node_path())) return;
        if (world_.first(item_path(partition_path, item)) != lease.node_path()) complain("owns " + item + ", and is not first");
    }

    const std::vector<std::string> items_;
    ItemTokens& tokens_;
    Manners manners_;
    bool wanted_ = true;
    std::unique_ptr<FakePartitioner> member_;
    std::map<std::string, Registration> ending_; // timers
    Registration leaving_;
    bool closing_ = false;
    bool closed_ = false;
};

} // namespace docent::detail
