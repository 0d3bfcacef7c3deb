// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/listeners.hpp"
#include "client/core/operation.hpp"

#include <docent/client.hpp>
#include <docent/recipes/shared_value.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// Follows the value of one node. Members are called on the strand, unless they say otherwise.
class SharedValueCore : public std::enable_shared_from_this<SharedValueCore> {
public:
    using Listener = std::function<void(const VersionedValue&)>;

    SharedValueCore(std::shared_ptr<ClientView> view, std::string path, std::string seed)
        : view_(std::move(view)), path_(std::move(path)), seed_(std::move(seed)), value_{-1, seed_} {}

    // From any thread.
    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::string& path() const { return path_; }
    const std::string& seed() const { return seed_; }
    /// Whether follow() was ever called.
    bool was_started() const noexcept { return was_started_; }
    VersionedValue value() const;

    /// Takes a value that was read, or that this client has written. Ignores values older than the last. Errors:
    /// `error::corrupt_data`.
    error_code learn_read(std::string data, const Stat& stat) { return learn(std::move(data), stat, true); }
    error_code learn_written(std::string data, const Stat& stat) { return learn(std::move(data), stat, false); }
    /// Begins to read and watch the node. Calls `done` after the first read.
    void follow(std::function<void(error_code)> done);
    /// Reads again, and then calls `done`. Calls it at once if the node is not followed.
    void refresh(std::function<void(error_code)> done);
    void stop();
    /// Calls `listener` after each change. The first value that is read is no change.
    Registration listen(Listener listener) { return listeners_.add(std::move(listener)); }

private:
    error_code learn(std::string data, const Stat& stat, bool was_read);
    using OnReply = void (SharedValueCore::*)(error_code, const zk::Reply&);
    void ask(zk::Request request, OnReply on_reply);
    void read();
    void on_read(error_code ec, const zk::Reply& reply);
    void on_synced(error_code ec, const zk::Reply& reply);
    void on_looked(error_code ec, const zk::Reply& reply);
    bool is_older(const Stat& stat) const;
    void read_later(error_code ec);
    void on_session_event(const SessionEvent& event);
    void tell(error_code ec);

    const std::shared_ptr<ClientView> view_;
    const std::string path_;
    const std::string seed_;

    mutable std::mutex mutex_;
    VersionedValue value_;
    std::int64_t mzxid_ = 0; // of the value; also guarded by the mutex

    std::atomic<bool> was_started_{false};
    bool following_ = false;
    bool busy_ = false;    // a request is under way
    bool synced_ = false;  // a sync was answered since an older value was read
    bool watched_ = false; // the last read has set a watch that has not fired
    zk::WatchSink watch_;
    Registration session_;
    Registration timer_;
    std::chrono::milliseconds pause_{}; // before the next read that follows a failure; 0: the shortest
    std::vector<std::function<void(error_code)>> waiting_;
    Listeners<const VersionedValue&> listeners_;
};

} // namespace docent::detail
