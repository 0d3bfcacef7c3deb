// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nemesis/ground.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace docent::chaos {

/// Starts faults at random, from a seed, and ends them. Records each one: `fault KIND WHAT`, `heal KIND WHAT`. Use it from one
/// thread.
class Nemesis {
public:
    /// `kinds`: use only faults with these prefixes; empty: all.
    Nemesis(Ground& ground, Journal& journal, std::uint64_t seed, std::vector<std::string> kinds);

    /// Starts faults for `length`, or until `stopped()`.
    void storm(std::chrono::milliseconds length, const std::function<bool()>& stopped);
    /// Ends all faults, and returns when there is a quorum.
    void heal();

    /// Names of all faults.
    static std::vector<std::string> all_kinds();

private:
    using Clock = std::chrono::steady_clock;
    using Milliseconds = std::chrono::milliseconds;
    struct Fault {
        std::string kind;
        double weight;
        void (Nemesis::*strike)(const std::string& kind);
    };
    struct Cure {
        Clock::time_point due;
        std::string what; // kind and target
        std::string target;
        std::function<void()> heal;
    };
    static const std::vector<Fault>& faults();

    std::size_t below(std::size_t count);
    bool chance(double probability);
    Milliseconds between(Milliseconds least, Milliseconds most);
    void strike();
    void heal_due(Clock::time_point time);
    /// Records a fault that ends after `length`.
    void begin(const std::string& kind, const std::string& target, Milliseconds length, std::function<void()> heal);
    void note(const std::string& kind, const std::string& target);
    bool is_struck(const std::string& target) const;
    bool servers_are_well() const;
    /// Draws a worker. Returns nothing if this worker has a fault.
    std::optional<std::size_t> some_worker();
    std::optional<std::size_t> some_server();

    void kill_client(const std::string& kind);
    void stop_client(const std::string& kind);
    void renew_session(const std::string& kind);
    void close_session(const std::string& kind);
    void trouble_way(const std::string& kind);
    void cut_way(const std::string& kind);
    void kill_server(const std::string& kind);
    void kill_two_servers(const std::string& kind);
    void pause_server(const std::string& kind);
    void restart_server(const std::string& kind);
    void wipe_server(const std::string& kind);
    void cut_link(const std::string& kind);
    void delete_node(const std::string& kind);
    void delete_node_unheard(const std::string& kind);
    void each_way(std::size_t place, const std::function<void(testing::FaultProxy&)>& change);

    Ground& ground_;
    Journal& journal_;
    std::mt19937_64 random_;
    std::vector<const Fault*> wanted_;
    std::vector<Cure> cures_;
    std::set<std::string> struck_;
};

} // namespace docent::chaos
