// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides which processes of items to start and to end. Pure.

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace docent::cli {

class ItemStarts {
public:
    using Time = std::chrono::steady_clock::time_point;

    struct Orders {
        std::vector<std::string> begin = {};
        std::vector<std::string> end = {};
        bool operator==(const Orders&) const = default;
    };

    /// From now on, these items shall have a process.
    void want(const std::vector<std::string>& items) {
        for (auto& [name, item] : items_) item.wanted = false;
        for (const auto& name : items) items_[name].wanted = true;
    }
    /// The process of an item has ended. CMD is started again after a pause, which doubles each time that CMD ends soon.
    void on_ended(const std::string& name, Time now) {
        const auto found = items_.find(name);
        if (found == items_.end()) return;
        Item& item = found->second;
        item.state = State::none;
        item.pause = now - item.began < short_run ? std::min(2 * item.pause, longest_pause) : shortest_pause;
        item.not_before = now + item.pause;
    }
    /// The orders that are due.
    Orders due(Time now) {
        Orders orders;
        for (auto next = items_.begin(); next != items_.end();) {
            const auto at = next++;
            auto& [name, item] = *at;
            if (!item.wanted && item.state == State::none) {
                items_.erase(at);
            } else if (!item.wanted && item.state == State::runs) {
                item.state = State::ends;
                orders.end.push_back(name);
            } else if (item.wanted && item.state == State::none && now >= item.not_before) {
                item.state = State::runs;
                item.began = now;
                orders.begin.push_back(name);
            }
        }
        return orders;
    }
    /// When to call due() next, if nothing happens until then.
    std::optional<Time> next() const {
        std::optional<Time> next;
        for (const auto& [name, item] : items_) {
            if (item.wanted && item.state == State::none) next = std::min(next.value_or(item.not_before), item.not_before);
        }
        return next;
    }
    bool has_processes() const {
        return std::any_of(items_.begin(), items_.end(), [](const auto& each) { return each.second.state != State::none; });
    }

private:
    static constexpr std::chrono::seconds short_run{10};
    static constexpr std::chrono::milliseconds shortest_pause{500};
    static constexpr std::chrono::milliseconds longest_pause{60'000};

    enum class State { none, runs, ends };
    struct Item {
        bool wanted = false;
        State state = State::none;
        Time began{};
        Time not_before{};
        std::chrono::milliseconds pause = shortest_pause;
    };
    std::map<std::string, Item> items_;
};

} // namespace docent::cli
