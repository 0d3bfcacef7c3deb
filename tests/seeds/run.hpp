// SPDX-License-Identifier: Apache-2.0
#pragma once

// One large world. Its seed decides everything: the requests of the contenders, the order of events, and the faults.

#include "observers/referee.hpp"
#include "participant.hpp"
#include "setting.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace docent::seeds {

struct Figures {
    std::uint64_t steps = 0;
    std::uint64_t faults = 0;
    std::uint64_t grants = 0;
    std::uint64_t entries = 0; // in the ledger
};

class Run {
public:
    /// `story`: prints the story there; null: prints none.
    explicit Run(std::uint64_t seed, std::ostream* story = nullptr);

    /// Runs the world with faults, and then without. Returns the violation; empty if there is none.
    std::string run();
    Figures figures() const;

private:
    using Fault = FakeWorld::Fault;

    void share_locks();
    void draw_participants();
    void draw_trouble();
    std::size_t below(std::size_t bound) { return world_.surroundings().below(bound); }
    double up_to(double bound) { return bound * static_cast<double>(below(1001)) / 1000; }
    bool one_in(std::size_t count) { return below(count) == 0; }

    bool step(); // false if nothing more can happen
    void perhaps_go_wrong();
    void inflict(Fault fault);
    void observe();
    bool finished() const;
    bool nothing_is_under_way();
    bool is_quiet();
    bool may_stay(const std::string& path);
    std::string left_behind();
    void tell(const std::string& text);
    void tell_of(const detail::FakeStep& step);
    void complain(const std::string& text) {
        if (complaint_.empty()) complaint_ = text;
    }

    std::ostream* const story_;
    const Setting setting_;
    const std::size_t clients_;
    FakeWorld world_;
    detail::Referee referee_;
    Ledger ledger_;
    std::vector<std::shared_ptr<detail::MutexCore>> shared_;
    Actors actors_;
    std::vector<const Participant*> contenders_; // the actors that use locks
    double trouble_ = 0;                         // chance of a fault at a step
    Fault favourite_ = Fault::count;             // this fault is frequent
    std::size_t victim_ = 0;                     // client of the last fault
    std::size_t again_in_ = 0;                   // number of steps until the same client has another fault
    std::string complaint_;
    Figures figures_;
};

} // namespace docent::seeds
