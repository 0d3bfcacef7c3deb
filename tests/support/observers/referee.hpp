// SPDX-License-Identifier: Apache-2.0
#pragma once

// Watches the leader's tree and those who say that they own something. Written without the recipes' own parsers, which are on
// trial here.

#include "fake_server/fake_tree.hpp"
#include "lease/lease_core.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace docent::detail {

class Referee {
public:
    /// `limits`: of the permits that may be out at once, by the folder of their nodes.
    Referee(const FakeTree& truth, std::map<std::string, std::size_t> limits) : truth_(truth), limits_(std::move(limits)) {}

    /// The tree has changed.
    void look();
    /// An administrator has taken this node from whoever has it, who cannot know that yet.
    void note_taken(const std::string& path) { taken_.insert(path); }
    /// From now on a waiter may not hear that its node was taken, and be admitted without one.
    void note_lost_events() { events_get_lost_ = true; }
    /// All that is owned at this moment. What is wrong with that; empty if nothing is.
    std::string judge(const std::vector<std::shared_ptr<LeaseCore>>& owned);

    struct Tokens { // the highest, of those granted
        std::int64_t all = 0;
        std::int64_t writers = 0;
    };
    const std::map<std::string, Tokens>& tokens() const { return tokens_; } // by lock
    const std::set<std::string>& taken() const { return taken_; }
    bool was_granted(const std::string& path) const { return granted_.contains(path); }
    /// At some time nobody was in front of it.
    bool was_free(const std::string& path) const { return ever_free_.contains(path); }

private:
    bool is_permit(const std::string& path) const;
    std::string one_ahead_of(const std::string& path) const;
    std::string node_complaint(const std::string& path) const;
    std::string token_complaint(const LeaseCore& lease);

    const FakeTree& truth_;
    const std::map<std::string, std::size_t> limits_;
    std::int64_t looked_at_ = -1; // zxid
    std::set<std::string> ever_free_;
    std::set<std::string> taken_;
    bool events_get_lost_ = false;
    std::set<std::string> granted_;
    std::map<std::string, Tokens> tokens_;
};

} // namespace docent::detail
