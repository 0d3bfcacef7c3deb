// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace docent::resources {

/// The nodes that all lives use: persistent nodes, and a lock that another client holds.
class Place {
public:
    Place(Client& keeper, std::string path);

    std::string held_by_another() const { return path_ + "/held"; }
    std::string data() const { return path_ + "/data"; }
    std::string markers() const { return path_ + "/markers"; }
    /// A lock for the next life. Its last user ended long ago.
    std::string next_lock();

private:
    std::string path_;
    Lease held_;
    std::size_t next_ = 0;
};

/// The life of one client: it locks, commits with the lock, reconnects, releases, locks again, and rests. At rest it holds one
/// lock and waits for another. The life ends early at a failure, for example after close().
class Life {
public:
    Life(testing::FaultProxy& proxy, Place& place, std::chrono::milliseconds session_timeout = std::chrono::seconds{1});
    ~Life();
    Life(const Life&) = delete;
    Life& operator=(const Life&) = delete;

    /// Calls `act` on the proxy's thread for each request that was sent, with its number from 0 on.
    void on_request(const std::function<void(const char* request, std::size_t number)>& act);
    void begin();
    /// Schedules a close. May be called on any thread.
    void close();

    Client& client() { return client_; }
    /// True when the life is at rest or has ended.
    bool at_rest() const { return at_rest_; }
    bool each_completed_once() const;
    bool owns() const;
    std::size_t requests() const { return *requests_; }

private:
    /// Makes the handler of a further call. It counts its completions, and runs `then` unless the call has failed.
    template <typename Then> auto one_more(Then then);
    void acquire(void (Life::*then)());
    void commit();
    void connect_again();
    void release();
    void rest() { at_rest_ = true; }

    testing::FaultProxy& proxy_;
    const Place& place_;
    const std::string lock_;
    const std::shared_ptr<std::atomic<std::size_t>> requests_ = std::make_shared<std::atomic<std::size_t>>(0);
    std::atomic<bool> at_rest_ = false;

    mutable std::mutex mutex_;    // protects the next two
    std::deque<int> completions_; // the completions of each call
    Lease lease_;

    Client client_;
};

} // namespace docent::resources
