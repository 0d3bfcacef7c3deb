// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/while_alive.hpp"
#include "cli/top/lock_tree.hpp"

#include <docent/client.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace docent::cli {

enum class Watching { no, yes };

/// Sends the requests of a LockTree. Runs on the client's executor, which has one thread.
class TreeWatcher : public std::enable_shared_from_this<TreeWatcher> {
public:
    /// Calls `on_news` when the tree has changed. `client` must outlive this object.
    TreeWatcher(Client& client, std::string root, LockTree::Limits limits, Watching watching, std::function<void()> on_news);

    void start();
    /// Stops requests and calls.
    void stop();

    const LockTree& tree() const { return tree_; }
    void open(const std::string& path);

    /// The error of the last request that will be sent again; no error after a later answer.
    error_code failure() const { return failure_; }
    bool settled() const { return started_ && tree_.settled(); }

private:
    void pump();
    void send(const Ask& ask);
    void list(const Ask& ask);
    void await_root(const Ask& ask);
    void read(const Ask& ask);
    void failed(const Ask& ask, error_code ec);
    void keep(const std::string& path, Watch watch);
    void news();

    /// Makes the handler of a request. It calls `use(self, path, value)` with the value of a successful answer.
    template <typename Use> auto answered(const Ask& ask, Use use) {
        return guarded([ask, use](TreeWatcher& self, error_code ec, auto&& value) {
            if (ec) return self.failed(ask, ec);
            self.failure_ = {};
            use(self, ask.path, std::forward<decltype(value)>(value));
            self.news();
        });
    }

    /// Makes a handler that calls `handle(self, ec, values...)` while this object exists and is not stopped.
    template <typename Handle> auto guarded(Handle handle) {
        return detail::while_alive(weak_from_this(), [this, handle = std::move(handle)](error_code ec, auto&&... values) {
            if (!stopped_) handle(*this, ec, std::forward<decltype(values)>(values)...);
        });
    }

    Client& client_;
    LockTree tree_;
    const Watching watching_;
    std::function<void()> on_news_;
    std::map<std::string, std::shared_ptr<Watch>> watches_; // by the path that they watch
    boost::asio::steady_timer timer_;
    error_code failure_;
    bool started_ = false;
    bool stopped_ = false;
};

} // namespace docent::cli
