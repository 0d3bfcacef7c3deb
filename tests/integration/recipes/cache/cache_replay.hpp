// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the events of a cache make of nothing, and whether each of them follows from those before.

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
    explicit CacheReplay(CacheBase& cache) : listening_(cache.listen([this](const CacheEvent& event) { apply(event); })) {}

    CachedNodes nodes() const {
        const std::lock_guard lock(mutex_);
        return nodes_;
    }
    /// Data by path.
    std::map<std::string, std::string> data() const {
        const std::lock_guard lock(mutex_);
        std::map<std::string, std::string> all;
        for (const auto& [path, node] : nodes_) all[path] = node->data;
        return all;
    }
    bool whole() const {
        const std::lock_guard lock(mutex_);
        return whole_;
    }
    /// How often it was whole again.
    std::size_t times_whole() const {
        const std::lock_guard lock(mutex_);
        return times_whole_;
    }
    std::vector<CacheChange> changes() const {
        const std::lock_guard lock(mutex_);
        return changes_;
    }
    std::map<std::string, error_code> refused() const {
        const std::lock_guard lock(mutex_);
        return refused_;
    }

private:
    void apply(const CacheEvent& event) {
        const std::lock_guard lock(mutex_);
        changes_.push_back(event.change);
        CachedNodePtr& known = nodes_[event.path];
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
        case CacheChange::refused: refused_[event.path] = event.reason; break;
        case CacheChange::stale: EXPECT_TRUE(std::exchange(whole_, false)); break;
        case CacheChange::whole:
            EXPECT_FALSE(std::exchange(whole_, true));
            ++times_whole_;
            break;
        }
        if (!known) nodes_.erase(event.path);
    }

    mutable std::mutex mutex_;
    CachedNodes nodes_;
    std::map<std::string, error_code> refused_;
    std::vector<CacheChange> changes_;
    bool whole_ = false;
    std::size_t times_whole_ = 0;
    Subscription listening_; // last: it ends first
};

} // namespace docent
