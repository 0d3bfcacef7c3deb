// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client.hpp>

#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <cstddef>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace docent::test {

/// Many locks below /app, with nodes as recipes make them, in the order of their arrival.
class ManyLocks {
public:
    ManyLocks(Client& client, std::size_t locks) : client_(client), queues_(locks) {}

    void build() {
        client_.create("/app");
        std::vector<std::future<Created>> made;
        for (std::size_t i = 0; i < queues_.size(); ++i)
            made.push_back(client_.async_create(path(i), "", boost::asio::use_future));
        for (auto& one : made) one.get();
    }

    static std::string path(std::size_t index) {
        std::string number = std::to_string(index);
        number.insert(0, 3 - std::min<std::size_t>(3, number.size()), '0');
        return "/app/lock-" + number;
    }
    std::size_t size() const { return queues_.size(); }
    const std::string& first(std::size_t index) const { return queues_[index].front(); }
    const std::string& last(std::size_t index) const { return queues_[index].back(); }

    /// Adds a contender to each lock, with this label and the lock's number.
    void come(const std::string& label) {
        std::vector<std::future<Created>> made;
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            made.push_back(client_.async_create(path(i) + "/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lock-",
                                                label + "-" + std::to_string(i), {.mode = CreateMode::ephemeral_sequential},
                                                boost::asio::use_future));
        }
        for (std::size_t i = 0; i < queues_.size(); ++i) queues_[i].push_back(made[i].get().path);
    }
    /// Removes the first contender of each lock.
    void leave() {
        std::vector<std::future<void>> left;
        for (auto& queue : queues_) {
            left.push_back(client_.async_remove(queue.front(), boost::asio::use_future));
            queue.erase(queue.begin());
        }
        for (auto& one : left) one.get();
    }

private:
    Client& client_;
    std::vector<std::vector<std::string>> queues_; // the nodes of each lock
};

} // namespace docent::test
