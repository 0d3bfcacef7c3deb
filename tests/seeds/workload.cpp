// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include "fake_recipes/administrator.hpp"
#include "fake_recipes/barrier_member.hpp"
#include "fake_recipes/gate_users.hpp"
#include "fake_recipes/latch_users.hpp"
#include "fake_recipes/node_keeper.hpp"

#include <docent/path.hpp>

#include <array>
#include <string>
#include <utility>

namespace docent::seeds {
namespace {

using namespace detail;

class Settlement {
public:
    Settlement(FakeWorld& world, std::size_t clients) : world_(world), clients_(clients) {}

    std::size_t below(std::size_t bound) { return world_.surroundings().below(bound); }
    double up_to(double bound) { return bound * static_cast<double>(below(1001)) / 1000; }
    bool one_in(std::size_t count) { return below(count) == 0; }

    template <typename One, typename... Arguments> void add(const std::string& what, Arguments&&... arguments) {
        const auto client = all.size() < clients_ ? all.size() : below(clients_);
        all.push_back(std::make_unique<One>(world_, client, std::forward<Arguments>(arguments)...));
        all.back()->name =
            what + " " + std::to_string(all.size()) + " (client " + static_cast<char>('a' + static_cast<char>(client)) + ")";
    }
    void add_administrator(std::vector<std::string> folders, double replaces) {
        if (!one_in(4)) add<Administrator>("administrator", std::move(folders), static_cast<int>(below(25)), replaces);
    }
    int turns(std::size_t bound) { return 1 + static_cast<int>(below(bound)); }

    void keep_nodes() {
        std::vector<std::string> folders;
        for (auto n = 2 + below(3); n > 0; --n) {
            PersistentNodeOptions options;
            options.mode = std::array{CreateMode::ephemeral, CreateMode::ephemeral, CreateMode::ephemeral_sequential,
                                      CreateMode::persistent}[below(4)];
            const bool is_protected = options.mode == CreateMode::ephemeral_sequential || one_in(3);
            options.protection = is_protected ? Protection::protected_ : Protection::none;
            folders.push_back("/kept/" + std::to_string(n));
            add<NodeKeeper>("keeper", folders.back() + "/node", options, turns(8));
        }
        add_administrator(std::move(folders), up_to(1));
    }
    void form_a_group() {
        for (auto n = 3 + below(4); n > 0; --n) {
            add<NodeKeeper>("member", "/group/id-" + std::to_string(below(3)), PersistentNodeOptions{}, turns(6));
        }
        add_administrator({"/group"}, up_to(1));
    }
    void enter_and_leave() {
        const std::size_t wanted = 2 + below(3);
        const auto hall = std::make_shared<BarrierHall>("/work/barrier", wanted);
        const BarrierMember::Habits habits{
            .hurries = one_in(2) ? up_to(0.3) : 0, .gives_up = one_in(2) ? up_to(0.3) : 0, .drops = one_in(2) ? up_to(0.3) : 0};
        for (auto n = wanted + below(3); n > 0; --n) add<BarrierMember>("member", hall, turns(8), habits);
        add_administrator({"/work/barrier"}, 0);
    }
    void wait_at_a_gate() {
        for (auto n = 1 + below(2); n > 0; --n) add<GateKeeper>("keeper", turns(8));
        for (auto n = 1 + below(4); n > 0; --n) add<GateWaiter>("waiter", turns(8));
        add_administrator({std::string(parent_path(gate_path))}, 0);
    }
    void count_down() {
        const auto book = std::make_shared<LatchBook>("/jobs/ready", 1 + static_cast<std::int64_t>(below(20)));
        for (auto n = 2 + below(3); n > 0; --n) add<LatchCounter>("counter", book, turns(6), one_in(2) ? up_to(0.3) : 0);
        for (auto n = 1 + below(3); n > 0; --n) add<LatchWaiter>("waiter", book, turns(6));
        if (one_in(2)) add<LatchNeighbour>("neighbour", book, turns(6));
    }

    Actors all;

private:
    FakeWorld& world_;
    const std::size_t clients_;
};

} // namespace

Actors settle(FakeWorld& world, Workload workload, std::size_t clients) {
    Settlement settlement(world, clients);
    switch (workload) {
    case Workload::none: break;
    case Workload::persistent_nodes: settlement.keep_nodes(); break;
    case Workload::group: settlement.form_a_group(); break;
    case Workload::double_barrier: settlement.enter_and_leave(); break;
    case Workload::barrier: settlement.wait_at_a_gate(); break;
    case Workload::count_down_latch: settlement.count_down(); break;
    }
    return std::move(settlement.all);
}

} // namespace docent::seeds
