// SPDX-License-Identifier: Apache-2.0
#pragma once

// Observers that compare the leader's tree with what contenders know. They do not use the recipes' parsers, because these are
// under test.

#include "lease/lease_core.hpp"
#include "testing/memory/tree.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace docent::detail {

/// Compares the tree with the leases that contenders own.
class Referee {
public:
    /// `limits`: the number of permits, by the parent of their nodes.
    Referee(const NodeTree& truth, std::map<std::string, std::size_t> limits) : truth_(truth), limits_(std::move(limits)) {}

    /// Call it after a change of the tree.
    void look();
    /// An administrator has taken this node from its owner. The owner cannot know that yet.
    void note_taken(const std::string& path) { taken_.insert(path); }
    /// From now on, a waiter may not hear that its node was taken, and be admitted without a node.
    void note_lost_events() { events_get_lost_ = true; }
    bool events_get_lost() const { return events_get_lost_; }
    /// Checks all leases that are owned now. Returns the violation; empty if there is none.
    std::string judge(const std::vector<std::shared_ptr<LeaseCore>>& owned);

    struct Tokens { // the highest granted tokens
        std::int64_t all = 0;
        std::int64_t writers = 0;
    };
    const std::map<std::string, Tokens>& tokens() const { return tokens_; } // by lock
    const std::set<std::string>& taken() const { return taken_; }
    bool was_granted(const std::string& path) const { return granted_.contains(path); }
    /// At some time, no node was ahead of it.
    bool was_free(const std::string& path) const { return ever_free_.contains(path); }

private:
    bool is_permit(const std::string& path) const;
    std::string one_ahead_of(const std::string& path) const;
    std::string node_complaint(const std::string& path) const;
    std::string token_complaint(const LeaseCore& lease);

    const NodeTree& truth_;
    const std::map<std::string, std::size_t> limits_;
    std::int64_t looked_at_ = -1; // zxid
    std::set<std::string> ever_free_;
    std::set<std::string> taken_;
    bool events_get_lost_ = false;
    std::set<std::string> granted_;
    std::map<std::string, Tokens> tokens_;
};

/// Compares the effects of guarded transactions with the results that their callers got.
class Ledger {
public:
    static constexpr const char* path = "/ledger";

    explicit Ledger(const NodeTree& truth) : truth_(truth) {}

    /// A holder of this lock, with this token, has sent a transaction.
    void expect(const std::string& value, const std::string& lock, std::int64_t token) { open_[value] = {lock, token}; }
    /// Call it after a change of the tree.
    void look();

    enum class Told { applied, not_applied, nothing };
    void told(const std::string& value, Told what);
    /// There was a fault: an operation may have a reason to fail.
    void note_fault() { disturbed_ = true; }
    bool disturbed() const { return disturbed_; }
    const std::string& complaint() const { return complaint_; }
    std::string picture() const; // everything that later complaints depend on
    std::size_t entries() const { return entries_; }

private:
    struct Entry {
        std::string lock;
        std::int64_t token = 0;
        int applied = 0;
        Told told = Told::nothing;
        bool is_over = false; // the caller has a result
    };
    bool is_there(const std::string& lock, const auto& is_that_one) const;
    void complain(const std::string& text) {
        if (complaint_.empty()) complaint_ = text;
    }

    const NodeTree& truth_;
    std::int32_t version_ = 0;
    std::map<std::string, Entry> open_;
    std::map<std::string, std::int64_t> last_token_; // by lock
    std::size_t entries_ = 0;
    bool disturbed_ = false;
    std::string complaint_;
};

} // namespace docent::detail
