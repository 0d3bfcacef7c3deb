// SPDX-License-Identifier: Apache-2.0
#pragma once

// A DNS that answers when a test says so.

#include "session/lookups.hpp"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace docent::test {

class FakeDns {
public:
    FakeDns()
        : lookups_(std::make_shared<session::Lookups>([state = state_](const std::string& name) {
              std::unique_lock lock(state->mutex);
              ++state->asked[name];
              ++state->under_way;
              state->changed.wait(lock, [&] { return state->over || state->answers.contains(name); });
              const auto found = state->answers.find(name);
              --state->under_way;
              state->changed.notify_all();
              return found == state->answers.end() ? session::NameAnswer{{}, "the test is over"} : found->second;
          })) {}
    /// Ends all lookups.
    ~FakeDns() {
        std::unique_lock lock(state_->mutex);
        state_->over = true;
        state_->changed.notify_all();
        state_->changed.wait(lock, [this] { return state_->under_way == 0; });
    }
    FakeDns(const FakeDns&) = delete;
    FakeDns& operator=(const FakeDns&) = delete;

    std::shared_ptr<session::Lookups> lookups() const { return lookups_; }

    /// Answers all lookups of this name from now on. Until then, they wait.
    void answer(const std::string& name, session::NameAnswer answer) {
        const std::lock_guard lock(state_->mutex);
        state_->answers[name] = std::move(answer);
        state_->changed.notify_all();
    }
    void find(const std::string& name, std::string address) { answer(name, {{std::move(address)}, {}}); }
    /// The number of lookups of this name that have begun.
    int asked(const std::string& name) const {
        const std::lock_guard lock(state_->mutex);
        const auto found = state_->asked.find(name);
        return found == state_->asked.end() ? 0 : found->second;
    }

private:
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        std::map<std::string, session::NameAnswer> answers;
        std::map<std::string, int> asked;
        int under_way = 0;
        bool over = false;
    };

    const std::shared_ptr<State> state_ = std::make_shared<State>(); // shared with the threads of lookups
    const std::shared_ptr<session::Lookups> lookups_;
};

} // namespace docent::test
