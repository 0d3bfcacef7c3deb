// SPDX-License-Identifier: Apache-2.0
#include "cli/top/tree_watcher.hpp"

#include <chrono>
#include <optional>

namespace docent::cli {
namespace {

using std::chrono::steady_clock;

Failure failure_of(const error_code& ec) {
    if (ec == server_error::no_node) return Failure::gone;
    const bool never = ec == server_error::no_auth || ec == error::too_many_watches || ec == error::corrupt_data;
    return never ? Failure::denied : Failure::later;
}

} // namespace

TreeWatcher::TreeWatcher(Client& client, std::string root, LockTree::Limits limits, Watching watching,
                         std::function<void()> on_news)
    : client_(client), tree_(std::move(root), limits), watching_(watching), on_news_(std::move(on_news)),
      timer_(client.get_executor()) {}

/// Begins with a sync, so that earlier writes are visible on any server.
void TreeWatcher::start() {
    client_.async_sync("/", guarded([](TreeWatcher& self, error_code ec) {
                           self.failure_ = ec;
                           self.started_ = true;
                           self.tree_.start(steady_clock::now());
                           self.pump();
                       }));
}

void TreeWatcher::stop() {
    stopped_ = true;
    timer_.cancel();
    watches_.clear();
}

void TreeWatcher::open(const std::string& path) {
    tree_.open(path);
    pump();
}

void TreeWatcher::pump() {
    for (const Ask& ask : tree_.due(steady_clock::now())) send(ask);
    for (const std::string& path : tree_.take_forgotten()) watches_.erase(path);
    if (const auto next = tree_.next_time()) {
        timer_.expires_at(*next);
        timer_.async_wait(guarded([](TreeWatcher& self, error_code ec) {
            if (!ec) self.pump();
        }));
    }
}

void TreeWatcher::news() {
    pump();
    if (on_news_) on_news_();
}

void TreeWatcher::send(const Ask& ask) {
    switch (ask.what) {
    case Ask::What::list: return list(ask);
    case Ask::What::await: return await_root(ask);
    case Ask::What::read: return read(ask);
    }
}

void TreeWatcher::list(const Ask& ask) {
    if (watching_ == Watching::no) {
        const auto keep_list = [](TreeWatcher& self, const std::string& path, const Children& children) {
            self.tree_.on_listed(path, children, steady_clock::now());
        };
        return client_.async_children(ask.path, answered(ask, keep_list));
    }
    const auto keep_list = [](TreeWatcher& self, const std::string& path, Watched<Children> seen) {
        self.keep(path, std::move(seen.watch));
        self.tree_.on_listed(path, seen.value, steady_clock::now());
    };
    client_.async_children_watched(ask.path, answered(ask, keep_list));
}

/// Waits for a missing root. Without watches, a missing root is an empty tree.
void TreeWatcher::await_root(const Ask& ask) {
    if (watching_ == Watching::no) return tree_.on_awaited(ask.path, false, steady_clock::now());
    const auto keep_watch = [](TreeWatcher& self, const std::string& path, Watched<std::optional<Stat>> seen) {
        self.keep(path, std::move(seen.watch));
        self.tree_.on_awaited(path, seen.value.has_value(), steady_clock::now());
    };
    client_.async_exists_watched(ask.path, answered(ask, keep_watch));
}

void TreeWatcher::read(const Ask& ask) {
    const auto keep_details = [](TreeWatcher& self, const std::string& path, NodeData read) {
        OwnedData owned = split_owner(std::move(read.data));
        self.tree_.on_read(
            path, {std::move(owned.data), read.stat.ephemeral_owner, read.stat.czxid, read.stat.ctime, std::move(owned.owner)});
    };
    client_.async_get(ask.path, answered(ask, keep_details));
}

void TreeWatcher::failed(const Ask& ask, error_code ec) {
    const Failure failure = failure_of(ec);
    if (failure == Failure::later) failure_ = ec;
    tree_.on_failed(ask, failure, steady_clock::now());
    news();
}

void TreeWatcher::keep(const std::string& path, Watch watch) {
    auto kept = std::make_shared<Watch>(std::move(watch));
    watches_[path] = kept;
    // After any event, look again. A watch that was dropped or replaced reports nothing.
    kept->async_wait(guarded([path](TreeWatcher& self, error_code ec, const WatchEvent&) {
        if (ec) return;
        self.tree_.on_changed(path, steady_clock::now());
        self.news();
    }));
}

} // namespace docent::cli
