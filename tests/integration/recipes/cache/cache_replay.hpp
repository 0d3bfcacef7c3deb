// SPDX-License-Identifier: Apache-2.0
#pragma once

// Applies the events of a cache to an empty copy, and checks that each event fits the events before it.

#include <docent/recipes/cache/cache_base.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace docent {

class CacheReplay {
public:
    explicit CacheReplay(CacheBase& cache)
        : listening_(cache.listen([seen = seen_](const CacheEvent& event) { seen->apply(event); })) {}

    CachedNodes nodes() const {
        const std::lock_guard lock(seen_->mutex);
        return seen_->nodes;
    }
    /// The data by path.
    std::map<std::string, std::string> data() const {
        const std::lock_guard lock(seen_->mutex);
        std::map<std::string, std::string> all;
        for (const auto& [path, node] : seen_->nodes) all[path] = node->data;
        return all;
    }
    bool whole() const {
        const std::lock_guard lock(seen_->mutex);
        return seen_->whole;
    }
    /// How often the cache became whole.
    std::size_t times_whole() const {
        const std::lock_guard lock(seen_->mutex);
        return seen_->times_whole;
    }
    std::vector<CacheChange> changes() const {
        const std::lock_guard lock(seen_->mutex);
        return seen_->changes;
    }

private:
    /// Shared with the listener: a Subscription does not wait for a running call when it ends.
    struct Seen {
        void apply(const CacheEvent& event);

        std::mutex mutex;
        CachedNodes nodes;
        std::vector<CacheChange> changes;
        bool whole = false;
        std::size_t times_whole = 0;
    };

    std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
    Subscription listening_;
};

inline void CacheReplay::Seen::apply(const CacheEvent& event) {
    const std::lock_guard lock(mutex);
    changes.push_back(event.change);
    CachedNodePtr& known = nodes[event.path];
    switch (event.change) {
    case CacheChange::added:
        EXPECT_FALSE(known) << event.path;
        known = event.node;
        break;
    case CacheChange::changed:
        EXPECT_TRUE(known && known == event.before) << event.path;
        EXPECT_EQ(event.node->stat.czxid, event.before->stat.czxid);
        EXPECT_GT(event.node->stat.mzxid, event.before->stat.mzxid);
        known = event.node;
        break;
    case CacheChange::removed:
        EXPECT_TRUE(known && known == event.before) << event.path;
        known.reset();
        break;
    case CacheChange::refused: break;
    case CacheChange::stale: EXPECT_TRUE(std::exchange(whole, false)); break;
    case CacheChange::whole:
        EXPECT_FALSE(std::exchange(whole, true));
        ++times_whole;
        break;
    }
    if (!known) nodes.erase(event.path);
}

} // namespace docent
