// SPDX-License-Identifier: Apache-2.0
#pragma once

// A CacheMachine whose steps are recorded as text: "+/p/a" added, "~" changed, "-" removed, "!" refused; then its requests.

#include "cache/cache_core.hpp"
#include "cache/cache_machine.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace docent::detail {

class CacheStory {
public:
    explicit CacheStory(CacheShape shape, std::size_t in_flight = CacheMachine::most_in_flight)
        : machine(std::move(shape), in_flight) {}

    CacheMachine machine;
    CacheView view; // the view as the events build it
    error_code obstacle;

    std::string start() { return told(machine.start()); }
    std::string connected() { return told(machine.on_session(true)); }
    std::string disconnected() { return told(machine.on_session(false)); }
    std::string synced(error_code ec = {}) { return told(machine.on_synced(tickets_["sync"], ec)); }
    std::string read(const std::string& path, const std::string& data, std::int64_t czxid = 1, std::int64_t mzxid = 1) {
        Stat stat;
        stat.czxid = czxid;
        stat.mzxid = mzxid;
        const CachedNode node{path, data, stat};
        return told(machine.on_read(tickets_["read " + path], path, {}, std::make_shared<const CachedNode>(node)));
    }
    std::string read(const std::string& path, error_code ec) {
        return told(machine.on_read(tickets_["read " + path], path, ec, nullptr));
    }
    std::string listed(const std::string& path, const std::vector<std::string>& names) {
        return told(machine.on_listed(tickets_["list " + path], path, {}, names));
    }
    std::string listed(const std::string& path, error_code ec) {
        return told(machine.on_listed(tickets_["list " + path], path, ec, {}));
    }
    std::string awaited(error_code ec) { return told(machine.on_awaited(tickets_["await"], ec)); }
    std::string seen(const std::string& path, WatchEventType type) { return told(machine.on_watch(path, type)); }
    std::string pause_over() { return told(machine.on_pause_over()); }
    std::string closed() { return told(machine.close()); }

private:
    std::string told(const CacheStep& step) {
        std::string text;
        const auto say = [&text](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
        for (const CacheEvent& event : step.changes) {
            view.apply(event);
            switch (event.change) {
            case CacheChange::added: say("+" + event.path); break;
            case CacheChange::changed: say("~" + event.path); break;
            case CacheChange::removed: say("-" + event.path); break;
            case CacheChange::refused: say("!" + event.path); break;
            default: say(std::string(to_string(event.change)));
            }
        }
        for (const CacheAction& action : step.actions) say(std::visit([this](const auto& a) { return words_of(a); }, action));
        obstacle = step.obstacle;
        return text;
    }
    std::string asked(const std::string& words, CacheTicket ticket) {
        tickets_[words] = ticket;
        return words;
    }
    std::string words_of(const SyncCache& a) { return asked("sync", a.ticket); }
    std::string words_of(const ReadCached& a) { return asked("read " + a.path, a.ticket); }
    std::string words_of(const ListCached& a) { return asked("list " + a.path, a.ticket); }
    std::string words_of(const AwaitRoot& a) { return asked("await", a.ticket); }
    std::string words_of(const ForgetCached& a) { return "forget " + a.path; }
    std::string words_of(const PauseCache& a) { return "pause " + std::to_string(a.length.count()); }

    std::map<std::string, CacheTicket> tickets_;
};

} // namespace docent::detail
