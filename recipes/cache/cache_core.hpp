// SPDX-License-Identifier: Apache-2.0
#pragma once

// Carries out what a CacheMachine asks for, shows what it has found, and tells who listens or waits.

#include "cache/cache_machine.hpp"
#include "cache/cache_view.hpp"
#include "client/core/operation.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace docent::detail {

/// Members are called on the strand unless they say otherwise.
class CacheCore final : public std::enable_shared_from_this<CacheCore> {
public:
    using Listener = std::function<void(const CacheEvent&)>;
    using Waiter = std::function<void(error_code)>;
    using Selector = std::function<bool(const std::string&)>;

    /// `selects`: whether a node is of interest; empty: all are. Called where users' functions are.
    CacheCore(std::shared_ptr<ClientView> view, CacheShape shape, Selector selects);

    // From any thread.
    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    const std::string& root() const noexcept { return shape_.root; }
    /// What `look` finds in the view; in an empty one in a child of the client's process.
    template <typename Look> auto look(Look look) const {
        if (!view_->is_here()) return look(CacheView{});
        const std::lock_guard lock(mutex_);
        return look(shown_);
    }
    /// The user may go: the selector is not called any more.
    void silence() noexcept { silenced_.store(true, std::memory_order_release); }

    void start();
    /// Calls `waiter` when it is whole, or with what keeps it from that. Dropping the registration ends that.
    Registration when_whole(Waiter waiter);
    /// Tells of what there is, then of each change.
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
    void answer(error_code ec);

    const std::shared_ptr<ClientView> view_;
    const CacheShape shape_;
    const std::shared_ptr<const Selector> selects_; // may be null
    mutable std::mutex mutex_;
    CacheView shown_; // changed on the strand alone; guarded

    std::atomic<bool> silenced_{false};
    bool closed_ = false;
    CacheMachine machine_;
    std::unordered_map<std::string, Watches> watches_;
    Registration session_;
    Registration timer_;
    std::vector<std::weak_ptr<Waiter>> waiting_;
    std::vector<std::weak_ptr<Listener>> listeners_;
};

} // namespace docent::detail
