// SPDX-License-Identifier: Apache-2.0
#pragma once

// An AcquireMachine in surroundings that a test decides, its actions, and the steps that it can be brought to.

#include "queue/acquire_action.hpp"
#include "queue/acquire_machine.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

// ---- how failures print actions, and how tests write them

inline std::ostream& operator<<(std::ostream& out, const Enter& a) {
    return out << "Enter{" << a.guid << (a.make_parents ? ", make_parents" : "") << "}";
}
inline std::ostream& operator<<(std::ostream& out, const FindOwn& a) {
    return out << "FindOwn{" << a.guid << "}";
}
inline std::ostream& operator<<(std::ostream& out, const List&) {
    return out << "List{}";
}
inline std::ostream& operator<<(std::ostream& out, const Look& a) {
    return out << "Look{" << a.name << "}";
}
inline std::ostream& operator<<(std::ostream& out, const WatchOwn& a) {
    return out << "WatchOwn{" << a.name << "}";
}
inline std::ostream& operator<<(std::ostream& out, const WatchAhead& a) {
    return out << "WatchAhead{" << a.name << "}";
}
inline std::ostream& operator<<(std::ostream& out, const Pause& a) {
    return out << "Pause{" << a.length.count() << "ms}";
}
inline std::ostream& operator<<(std::ostream& out, const AwaitSession&) {
    return out << "AwaitSession{}";
}
inline std::ostream& operator<<(std::ostream& out, const Grant& a) {
    return out << "Grant{" << a.name << ", czxid " << a.czxid << ", epoch " << a.epoch
               << (a.own_watched ? ", own_watched}" : "}");
}
inline std::ostream& operator<<(std::ostream& out, const Fail& a) {
    return out << "Fail{" << a.ec.message() << "}";
}
inline std::ostream& operator<<(std::ostream& out, const Remove& a) {
    return out << "Remove{" << a.name << "}";
}
inline std::ostream& operator<<(std::ostream& out, const RemoveProtected& a) {
    return out << "RemoveProtected{" << a.guid << "}";
}
inline std::ostream& operator<<(std::ostream& out, const ForgetGuid& a) {
    return out << "ForgetGuid{" << a.guid << "}";
}

/// actions(List{}, Fail{ec}): avoids braces, which a test macro cannot parse.
template <typename... Action> AcquireActions actions(Action... action) {
    AcquireActions all;
    (all.emplace_back(std::move(action)), ...);
    return all;
}

// ---- the surroundings

inline constexpr std::int64_t first_session = 0xA1;
inline constexpr std::int64_t second_session = 0xB2;
inline constexpr auto deleted = WatchEventType::deleted;

inline SessionEvent session_event(SessionState state, std::uint64_t epoch = 1, error_code reason = {}) {
    return {state, epoch, epoch == 1 ? first_session : second_session, reason};
}
inline SessionEvent connected(std::uint64_t epoch = 1) {
    return session_event(SessionState::connected, epoch);
}
inline SessionEvent suspended() {
    return session_event(SessionState::suspended);
}
inline SessionEvent expired() {
    return session_event(SessionState::lost, 1, server_error::session_expired);
}
inline SessionEvent presumed_lost() {
    return session_event(SessionState::lost, 1, error::not_connected);
}
inline SessionEvent closed() {
    return session_event(SessionState::closed);
}
inline SessionEvent connecting() {
    return {};
}

/// `_c_<guid>-lock-<ten digits>`
inline std::string lock(const std::string& guid, int sequence) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%010d", sequence);
    return "_c_" + guid + "-lock-" + digits;
}

inline const std::string own = lock("g1", 7);
inline const std::string next = lock("x", 5);  // the nearest node ahead
inline const std::string other = lock("y", 3); // further ahead
inline constexpr std::int64_t own_czxid = 70;

inline Entered entered(std::vector<std::string> children, std::int64_t session = first_session) {
    return {.name = own, .czxid = own_czxid, .ephemeral_owner = session, .children = std::move(children)};
}
/// The create of a waiter that did not ask for the list.
inline Entered entered_unlisted(std::optional<Neighbours> known) {
    Entered unlisted = entered({});
    unlisted.listed = false;
    unlisted.known = std::move(known);
    return unlisted;
}
/// What a waiter knows of the queue. Our node is the last of `names`. `whole`: all contenders ahead are known.
inline Neighbours known(const std::vector<std::string>& names, bool whole) {
    return {sorted_queue(mutex_names(), names), whole};
}
inline Entered not_entered(error_code ec) {
    return {.create = ec, .list = ec};
}
inline Stat own_stat(std::int64_t session = first_session, std::int64_t czxid = own_czxid) {
    Stat stat;
    stat.czxid = czxid;
    stat.ephemeral_owner = session;
    return stat;
}

inline Grant grant(bool own_watched) {
    return {own, own_czxid, 1, own_watched};
}

struct Surroundings {
    int guids = 0;
    bool certain = true;
    std::chrono::steady_clock::time_point now{};

    AcquireSources& sources() { return sources_; }

private:
    struct Sources final : AcquireSources {
        explicit Sources(Surroundings& owner) : all(owner) {}
        std::string guid() override { return "g" + std::to_string(++all.guids); }
        std::uint64_t random() override { return 0; }
        std::chrono::steady_clock::time_point now() override { return all.now; }
        bool certain(std::uint64_t) override { return all.certain; }
        Surroundings& all;
    };
    Sources sources_{*this};
};

struct AcquireStory : Surroundings, AcquireMachine {
    explicit AcquireStory(AcquireRules rules = {mutex_names()},
                          RetryPolicy retry = RetryPolicy::n_times(2, std::chrono::milliseconds{100}))
        : AcquireMachine(std::move(rules), retry, sources()) {}
};
using StoryPtr = std::unique_ptr<AcquireStory>;

// Each of these functions leaves the machine in the step of its name.
inline StoryPtr awaiting_session() {
    auto story = std::make_unique<AcquireStory>();
    story->start(connecting());
    return story;
}
inline StoryPtr entering(WaitMode wait_mode = WaitMode::waits) {
    auto story = std::make_unique<AcquireStory>(AcquireRules{mutex_names(), wait_mode});
    story->start(connected());
    return story;
}
inline StoryPtr in_doubt() { // the create's reply was lost, and there is no connection
    auto story = entering();
    story->on_session(suspended());
    story->on_entered(not_entered(server_error::connection_loss));
    return story;
}
inline StoryPtr finding() {
    auto story = in_doubt();
    story->on_session(connected());
    return story;
}
inline StoryPtr pausing() {
    auto story = finding();
    story->on_found({}, {next});
    return story;
}
inline StoryPtr verifying() {
    auto story = finding();
    story->on_found({}, {next, own});
    return story;
}
inline StoryPtr setting_watches() {
    auto story = entering();
    story->on_entered(entered({next, own}));
    return story;
}
inline StoryPtr parked() {
    auto story = setting_watches();
    story->on_own_read({}, own_stat());
    story->on_ahead_read({});
    return story;
}
inline StoryPtr parked_behind_two() {
    auto story = entering();
    story->on_entered(entered({other, next, own}));
    story->on_own_read({}, own_stat());
    story->on_ahead_read({});
    return story;
}
inline StoryPtr proving() { // a node of our session was ahead, and is gone
    auto story = setting_watches();
    story->on_own_read({}, own_stat());
    story->on_ahead_read({}, first_session);
    story->on_ahead_event(WatchEventType::deleted);
    return story;
}
inline StoryPtr listing() {
    auto story = parked_behind_two();
    story->on_ahead_event(WatchEventType::deleted);
    story->on_looked({});
    return story;
}

} // namespace docent::detail
