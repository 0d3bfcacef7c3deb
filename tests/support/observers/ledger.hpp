// SPDX-License-Identifier: Apache-2.0
#pragma once

// The effects of guarded transactions, and the results that their callers got.

#include "fake_server/fake_tree.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace docent::detail {

class Ledger {
public:
    static constexpr const char* path = "/ledger";

    explicit Ledger(const FakeTree& truth) : truth_(truth) {}

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

    const FakeTree& truth_;
    std::int32_t version_ = 0;
    std::map<std::string, Entry> open_;
    std::map<std::string, std::int64_t> last_token_; // by lock
    std::size_t entries_ = 0;
    bool disturbed_ = false;
    std::string complaint_;
};

} // namespace docent::detail
