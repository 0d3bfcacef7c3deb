// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/listeners.hpp"
#include "cache/cache_machine.hpp"
#include "client/core/operation.hpp"

#include <docent/recipes/cache/cache_event.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace docent::detail {

/// The nodes that a cache shows: the result of all its events.
class CacheView {
public:
    void apply(const CacheEvent& event);

    const CachedNodes& nodes() const { return nodes_; }
    bool whole() const { return whole_; }
    /// The node at the path; null without one.
    CachedNodePtr find(std::string_view path) const;
    /// The children of the path, by name.
    CachedNodes children(std::string_view path) const;

private:
    CachedNodes nodes_; // by path
    bool whole_ = false;
};

/// Carries out the actions of a CacheMachine, keeps the view, and calls listeners and waiters. Members are called on the
/// strand, unless they say otherwise.
class CacheCore final : public std::enable_shared_from_this<CacheCore> {
public:
    using Listener = std::function<void(const CacheEvent&)>;
    using Waiter = std::function<void(error_code)>;
    using Selector = std::function<bool(const std::string&)>;

    /// `selects`: whether to cache a node; empty for all nodes. Called on the user's executor.
    CacheCore(std::shared_ptr<ClientView> view, CacheShape shape, Selector selects);

    // From any thread.
    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    const std::string& root() const noexcept { return shape_.root; }
    /// Calls `look` with the view; in a child of the client's process, with an empty view.
    template <typename Look> auto look(Look look) const {
        if (!view_->is_here()) return look(CacheView{});
        const std::lock_guard lock(mutex_);
        return look(shown_);
    }
    /// After this, no call of the selector begins. A call that is under way is not waited for.
    void silence() noexcept { silenced_ = true; }

    void start();
    /// Calls `waiter` when the cache is whole, or with the error that prevents this. Dropping the registration cancels this.
    Registration when_whole(Waiter waiter);
    /// Calls `listener` with the present nodes, and then with each change.
    Registration listen(Listener listener);
    void close();

private:
    struct Watches {
        zk::WatchSink data;
        zk::WatchSink children;
    };

    void perform(CacheStep step);
    void act(const SyncCache& action);
    void act(const ReadCached& action);
    void act(const ListCached& action);
    void act(const AwaitRoot& action);
    void act(const ForgetCached& action);
    void act(const PauseCache& action);
    void on_session_event(const SessionEvent& event);
    void on_listed(CacheTicket ticket, const std::string& path, zk::Reply reply);
    zk::WatchSink sink_of(const std::string& path);

    const std::shared_ptr<ClientView> view_;
    const CacheShape shape_;
    const std::shared_ptr<const Selector> selects_; // may be null
    mutable std::mutex mutex_;
    CacheView shown_; // changed on the strand only; guarded by the mutex

    std::atomic<bool> silenced_{false};
    bool closed_ = false;
    CacheMachine machine_;
    std::unordered_map<std::string, Watches> watches_;
    Registration session_;
    Registration timer_;
    Listeners<error_code> waiting_;
    Listeners<const CacheEvent&> listeners_;
};

} // namespace docent::detail
