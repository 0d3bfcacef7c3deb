// SPDX-License-Identifier: Apache-2.0
#include "nemesis/nemesis.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

namespace docent::chaos {

using namespace std::chrono_literals;

const std::vector<Nemesis::Fault>& Nemesis::faults() {
    static const std::vector<Fault> all{
        {"client-kill", 4, &Nemesis::kill_client},
        {"client-pause", 4, &Nemesis::stop_client},                 // shorter than the session timeout
        {"client-stop", 4, &Nemesis::stop_client},                  // longer than the session timeout
        {"client-renew", 1, &Nemesis::renew_session},               // the client ends its session
        {"client-closed", 2, &Nemesis::close_session},              // an administrator ends the session
        {"way-black-hole", 5, &Nemesis::trouble_way},               // nothing passes
        {"way-replies", 3, &Nemesis::trouble_way},                  // replies are lost, or late
        {"way-requests", 3, &Nemesis::trouble_way},                 // requests are lost, or late
        {"way-delay", 3, &Nemesis::trouble_way},                    // both directions are slow
        {"way-refuse", 2, &Nemesis::trouble_way},                   // new connections are refused
        {"way-cut", 3, &Nemesis::cut_way},                          // connections break
        {"way-cut-request", 4, &Nemesis::cut_way},                  // before a random kind of request
        {"way-cut-reply", 4, &Nemesis::cut_way},                    // before a random kind of reply
        {"way-cut-bytes", 3, &Nemesis::cut_way},                    // within a frame
        {"server-kill", 4, &Nemesis::kill_server},                  // often the leader
        {"server-kill-two", 1, &Nemesis::kill_two_servers},         // no quorum for a while
        {"server-pause", 4, &Nemesis::pause_server},                // SIGSTOP, later SIGCONT
        {"server-restart", 2, &Nemesis::restart_server},            // SIGTERM, and a start
        {"server-wipe", 1, &Nemesis::wipe_server},                  // starts without its data
        {"link-cut", 4, &Nemesis::cut_link},                        // between a follower and the leader
        {"node-deleted", 3, &Nemesis::delete_node},                 // by an administrator
        {"node-deleted-unheard", 3, &Nemesis::delete_node_unheard}, // while its owner hears nothing
    };
    return all;
}

std::vector<std::string> Nemesis::all_kinds() {
    std::vector<std::string> kinds;
    for (const Fault& fault : faults()) kinds.push_back(fault.kind);
    return kinds;
}

Nemesis::Nemesis(Ground& ground, Journal& journal, std::uint64_t seed, std::vector<std::string> kinds)
    : ground_(ground), journal_(journal), random_(seed) {
    for (const Fault& fault : faults()) {
        const auto begins = [&](const std::string& wanted) { return fault.kind.starts_with(wanted); };
        if (ground.speaks_tls() && fault.kind.starts_with("way-cut-re")) continue; // the proxies do not see the requests
        if (kinds.empty() || std::any_of(kinds.begin(), kinds.end(), begins)) wanted_.push_back(&fault);
    }
    if (wanted_.empty())
        throw std::invalid_argument(ground.speaks_tls() ? "no such faults with --tls; --list shows all" : "no such faults");
}

void Nemesis::storm(Milliseconds length, const std::function<bool()>& stopped) {
    journal_.add("storm");
    const std::int64_t time = now();
    journal_.add(time, "wall " + std::to_string(wall_now()));
    const auto end = Clock::now() + length;
    auto next = Clock::now();
    while (Clock::now() < end && !stopped()) {
        heal_due(Clock::now());
        if (Clock::now() >= next) {
            strike();
            next = Clock::now() + between(50ms, 1200ms);
        }
        std::this_thread::sleep_for(10ms);
    }
}

void Nemesis::heal() {
    heal_due(Clock::time_point::max());
    ground_.cluster().wait_for_quorum();
    journal_.add("healed");
}

void Nemesis::strike() {
    std::vector<double> weights;
    for (const Fault* fault : wanted_) weights.push_back(fault->weight);
    const Fault& fault = *wanted_[std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random_)];
    (this->*fault.strike)(fault.kind);
}

void Nemesis::heal_due(Clock::time_point time) {
    const auto due = std::stable_partition(cures_.begin(), cures_.end(), [&](const Cure& cure) { return cure.due > time; });
    std::vector<Cure> now(std::make_move_iterator(due), std::make_move_iterator(cures_.end()));
    cures_.erase(due, cures_.end());
    for (const Cure& cure : now) {
        struck_.erase(cure.target);
        cure.heal();
        journal_.add("heal " + cure.what);
    }
}

void Nemesis::note(const std::string& kind, const std::string& target) {
    journal_.add("fault " + kind + ' ' + target);
}

void Nemesis::begin(const std::string& kind, const std::string& target, Milliseconds length, std::function<void()> heal) {
    note(kind, target + " for " + std::to_string(length.count()) + " ms");
    struck_.insert(target);
    cures_.push_back({Clock::now() + length, kind + ' ' + target, target, std::move(heal)});
}

bool Nemesis::is_struck(const std::string& target) const {
    return struck_.contains(target);
}

bool Nemesis::servers_are_well() const {
    return std::none_of(struck_.begin(), struck_.end(),
                        [](const std::string& target) { return target.starts_with("server") || target.starts_with("link"); });
}

std::size_t Nemesis::below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
}

bool Nemesis::chance(double probability) {
    return std::bernoulli_distribution(probability)(random_);
}

Nemesis::Milliseconds Nemesis::between(Milliseconds least, Milliseconds most) {
    return Milliseconds{std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(random_)};
}

} // namespace docent::chaos
