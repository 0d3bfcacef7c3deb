// SPDX-License-Identifier: Apache-2.0

#include "cli/guard/searcher.hpp"
#include "posix/threads.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace docent::cli {

using std::chrono::steady_clock;

namespace {

/// A search that was held up, or a docent that was stopped, must not hold up the next search for as long again.
constexpr std::chrono::milliseconds longest_pause{500};

} // namespace

struct Searcher::State {
    std::mutex mutex;
    std::condition_variable changed;
    Search search;                   // to be begun, or null
    bool busy = false;               // a search has been asked for and has not ended
    bool left = true;                // the result of the last search
    bool program_ended = false;      // before that search began
    steady_clock::time_point next{}; // when the next search may begin
    bool ends = false;
};

Searcher::Searcher() : state_(std::make_shared<State>()) {
    thread_ = posix::start_quiet_thread([state = state_] { run(*state); });
}

Searcher::~Searcher() {
    bool busy = false;
    {
        const std::lock_guard lock(state_->mutex);
        state_->ends = true;
        state_->changed.notify_all();
        busy = state_->busy;
    }
    if (busy) thread_.detach();
    else thread_.join();
}

void Searcher::run(State& state) {
    std::unique_lock lock(state.mutex);
    for (;;) {
        state.changed.wait(lock, [&] { return state.ends || state.search; });
        if (state.ends) return;
        Search search = std::exchange(state.search, nullptr);
        lock.unlock();
        const auto began = steady_clock::now();
        bool left = false;
        try {
            left = search();
        } catch (...) {
            left = true; // no memory: the search was incomplete
        }
        search = nullptr; // may close the folder and the cgroup
        const auto ended = steady_clock::now();
        lock.lock();
        state.left = left;
        if (state.program_ended) state.next = ended + std::min<steady_clock::duration>(ended - began, longest_pause);
        state.busy = false;
        state.changed.notify_all();
    }
}

void Searcher::begin(State& state, Search search, bool program_ended) {
    state.search = std::move(search);
    state.busy = true;
    state.left = true;
    state.program_ended = program_ended;
    state.changed.notify_all();
}

void Searcher::send(const std::shared_ptr<const HeldProcesses>& held, std::vector<int> signals, pid_t but) {
    auto family = held->send_to_family(signals, but);
    if (!family) return;
    const std::lock_guard lock(state_->mutex);
    begin(
        *state_,
        [held, signals = std::move(signals), family = std::move(*family)] {
            held->send_to_others(signals, family);
            return true;
        },
        false);
}

/// Looks at the family twice: a process that forks and ends at once can be missed by one look, together with its child.
Left Searcher::look(const std::shared_ptr<const HeldProcesses>& held, int signal, pid_t but, bool program_ended,
                    std::chrono::milliseconds longest) {
    std::unique_lock lock(state_->mutex);
    const auto is_idle = [this] { return !state_->busy; };
    const auto found_nothing = [this] { return state_->program_ended && !state_->left; };
    const bool was_idle = is_idle();
    if (was_idle && found_nothing()) return Left::nothing;
    if (was_idle && steady_clock::now() < state_->next) return Left::something;
    if (was_idle) {
        begin(
            *state_, [held, signal, but] { return held->send({signal}, but) != 0u || held->any_in_family(); }, program_ended);
    }
    if (!state_->changed.wait_for(lock, longest, is_idle)) return was_idle ? Left::something : Left::unknown;
    return found_nothing() ? Left::nothing : Left::something;
}

} // namespace docent::cli
