// SPDX-License-Identifier: Apache-2.0
// The floor: the cost of the C client alone, for a lock that is correct as long as nothing fails.

#include "raw_lock.hpp"
#include "raw_turns.hpp"

#include "common/durations.hpp"
#include "common/options.hpp"
#include "common/tally.hpp"
#include "common/window.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iostream>
#include <map>
#include <optional>

using std::chrono::steady_clock;
using Sessions = std::vector<std::unique_ptr<RawSession>>;

namespace {

constexpr auto usage = R"(usage: raw_workload --connect H:P --work WORK ...
  free         --n N [--warmup N]
  contended    --clients N [--hold-us N] [--pause-us N] --ms N [--warmup-ms N]
  many         --locks N --ms N [--warmup-ms N]
  transaction  --n N --ms N [--warmup-ms N]
  rtt          --n N
as lock_workload does it; and without a server, threads that wake one another:
  turns        --threads N --ms N [--warmup-ms N]
)";

void run_free(const Options& options) {
    const int n = options.number("n");
    const int warmup = options.number("warmup", 10);
    const Sessions sessions = connect_raw(options.text("connect"), 1);
    sessions[0]->make("/floor/free");
    RawLock lock(*sessions[0], "/floor/free");
    Durations acquires;
    Durations releases;
    for (int i = -warmup; i < n; ++i) {
        bool granted = false;
        bool removed = false;
        const auto begin = steady_clock::now();
        lock.acquire([&] { granted = true; });
        run_raw(sessions, [&] { return granted; });
        const auto acquired = steady_clock::now();
        lock.release([&] { removed = true; });
        run_raw(sessions, [&] { return removed; });
        if (i < 0) continue;
        acquires.add(acquired - begin);
        releases.add(steady_clock::now() - acquired);
    }
    std::cout << "peer=raw work=free n=" << n << " warmup=" << warmup << " acquire_p50_us=" << acquires.at(0.5)
              << " acquire_p99_us=" << acquires.at(0.99) << " release_p50_us=" << releases.at(0.5)
              << " release_p99_us=" << releases.at(0.99) << std::endl;
}

/// Clients that take turns.
class Contest {
public:
    Contest(const Options& options, const Sessions& sessions)
        : window_(options), hold_(options.number("hold-us", 0)), pause_(options.number("pause-us", 0)) {
        for (const auto& session : sessions) locks_.push_back(std::make_unique<RawLock>(*session, "/floor/contended"));
    }
    void run(const Sessions& sessions) {
        window_.open();
        for (auto& lock : locks_) enter(*lock);
        run_raw(
            sessions, [&] { return is_done(); }, [&] { return milliseconds_to_next(); });
    }
    void print() {
        std::cout << "peer=raw work=contended clients=" << locks_.size() << " hold_us=" << hold_.count()
                  << " per_s=" << window_.per_second(turns_) << " handoff_p50_us=" << handoffs_.at(0.5)
                  << " handoff_p99_us=" << handoffs_.at(0.99) << " overlaps=" << overlaps_ << " turns=" << all_turns_
                  << " again=" << static_cast<double>(again_) / static_cast<double>(std::max<std::int64_t>(turns_, 1))
                  << std::endl;
    }

private:
    bool is_done() {
        const auto now = steady_clock::now();
        if (holder_ && now >= until_) leave();
        while (!pausing_.empty() && pausing_.front().first <= now) {
            RawLock& lock = *pausing_.front().second;
            pausing_.pop_front();
            go_on(lock);
        }
        return left_ == locks_.size();
    }
    int milliseconds_to_next() const {
        auto next = steady_clock::now() + std::chrono::seconds{1};
        if (holder_) next = std::min(next, until_);
        if (!pausing_.empty()) next = std::min(next, pausing_.front().first);
        return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(next - steady_clock::now()).count());
    }
    void enter(RawLock& lock) {
        lock.acquire([&] { on_granted(lock); });
    }
    void on_granted(RawLock& lock) {
        const auto now = steady_clock::now();
        if (holder_) ++overlaps_;
        ++all_turns_;
        if (window_.is_open()) {
            ++turns_;
            if (last_ == &lock) ++again_;
            else if (released_) handoffs_.add(now - *released_);
        }
        holder_ = &lock;
        until_ = now + hold_;
        if (hold_.count() == 0) leave();
    }
    void leave() {
        RawLock& lock = *holder_;
        holder_ = nullptr;
        last_ = &lock;
        released_ = steady_clock::now();
        lock.release({});
        if (pause_.count() > 0) {
            pausing_.emplace_back(steady_clock::now() + pause_, &lock);
            return;
        }
        go_on(lock);
    }
    void go_on(RawLock& lock) { window_.is_over() ? static_cast<void>(++left_) : enter(lock); }

    Window window_;
    std::chrono::microseconds hold_;
    std::chrono::microseconds pause_;
    std::deque<std::pair<steady_clock::time_point, RawLock*>> pausing_; // until this time
    std::vector<std::unique_ptr<RawLock>> locks_;
    RawLock* holder_ = nullptr;
    const RawLock* last_ = nullptr; // the client with the turn before
    steady_clock::time_point until_ = {};
    std::optional<steady_clock::time_point> released_;
    Durations handoffs_;
    std::size_t left_ = 0;
    std::int64_t turns_ = 0;
    std::int64_t again_ = 0; // turns of the client that also had the turn before
    std::int64_t all_turns_ = 0;
    int overlaps_ = 0;
};

void run_contended(const Options& options) {
    const Sessions sessions = connect_raw(options.text("connect"), options.number("clients"));
    sessions[0]->make("/floor/contended");
    bool made = false;
    check_raw(zoo_async(
                  sessions[0]->handle(), "/",
                  [](int, const char*, const void* done) { *static_cast<bool*>(const_cast<void*>(done)) = true; }, &made),
              "sync");
    run_raw(sessions, [&] { return made; });
    Contest contest(options, sessions);
    contest.run(sessions);
    contest.print();
}

/// Many locks. Each is acquired and released again and again.
struct Waiters {
    Tally done;
    std::size_t left = 0;
};

void take_and_release(RawLock& lock, Waiters& waiters) {
    lock.acquire([&] {
        lock.release([&] {
            waiters.done.add();
            waiters.done.is_over() ? static_cast<void>(++waiters.left) : take_and_release(lock, waiters);
        });
    });
}

void run_many(const Options& options) {
    const Sessions sessions = connect_raw(options.text("connect"), 1);
    std::vector<std::unique_ptr<RawLock>> locks;
    for (int i = 0; i < options.number("locks"); ++i) {
        const std::string path = "/floor/many/" + std::to_string(i);
        sessions[0]->make(path);
        locks.push_back(std::make_unique<RawLock>(*sessions[0], path));
    }
    Waiters waiters{.done = Tally(options)};
    for (auto& lock : locks) take_and_release(*lock, waiters);
    run_raw(sessions, [&] { return waiters.left == locks.size(); });
    std::cout << "peer=raw work=many locks=" << locks.size() << " " << waiters.done << std::endl;
}

/// Changes one node again and again, each time on the condition that the holder's node exists.
class Commits {
public:
    Commits(RawSession& session, std::string path, std::string guard, Waiters& waiters)
        : session_(session), path_(std::move(path)), guard_(std::move(guard)), waiters_(waiters) {}
    void commit() {
        zoo_check_op_init(&operations_[0], guard_.c_str(), -1);
        zoo_set_op_init(&operations_[1], path_.c_str(), "changed", 7, -1, &stat_);
        check_raw(zoo_amulti(session_.handle(), 2, operations_, results_, on_committed, this), "multi");
    }

private:
    static void on_committed(int rc, const void* self) {
        check_raw(rc, "multi");
        auto& commits = *static_cast<Commits*>(const_cast<void*>(self));
        commits.waiters_.done.add();
        commits.waiters_.done.is_over() ? static_cast<void>(++commits.waiters_.left) : commits.commit();
    }

    RawSession& session_;
    std::string path_;
    std::string guard_;
    Waiters& waiters_;
    zoo_op_t operations_[2] = {};
    zoo_op_result_t results_[2] = {};
    Stat stat_ = {};
};

void run_transaction(const Options& options) {
    const Sessions sessions = connect_raw(options.text("connect"), 1);
    sessions[0]->make("/floor/transaction-lock");
    RawLock lock(*sessions[0], "/floor/transaction-lock");
    bool granted = false;
    lock.acquire([&] { granted = true; });
    run_raw(sessions, [&] { return granted; });
    Waiters waiters{.done = Tally(options)};
    std::vector<std::unique_ptr<Commits>> all;
    for (int i = 0; i < options.number("n"); ++i) {
        const std::string path = "/floor/transaction/" + std::to_string(i);
        sessions[0]->make(path);
        all.push_back(std::make_unique<Commits>(*sessions[0], path, lock.node(), waiters));
    }
    waiters.done.open();
    for (auto& each : all) each->commit();
    run_raw(sessions, [&] { return waiters.left == all.size(); });
    std::cout << "peer=raw work=transaction n=" << all.size() << " " << waiters.done << std::endl;
}

void run_rtt(const Options& options) {
    const int n = options.number("n");
    const Sessions sessions = connect_raw(options.text("connect"), 1);
    Durations exists;
    for (int i = 0; i < n; ++i) {
        bool answered = false;
        const auto begin = steady_clock::now();
        check_raw(zoo_aexists(
                      sessions[0]->handle(), "/zookeeper", 0,
                      [](int, const Stat*, const void* done) { *static_cast<bool*>(const_cast<void*>(done)) = true; },
                      &answered),
                  "exists");
        run_raw(sessions, [&] { return answered; });
        exists.add(steady_clock::now() - begin);
    }
    std::cout << "peer=raw work=rtt n=" << n << " rtt_p50_us=" << exists.at(0.5) << std::endl;
}

} // namespace

int main(int argc, char** argv) {
    const std::map<std::string, void (*)(const Options&)> works = {{"free", run_free}, {"contended", run_contended},
                                                                   {"many", run_many}, {"transaction", run_transaction},
                                                                   {"rtt", run_rtt},   {"turns", run_turns}};
    return run_work(argc, argv, "raw_workload", usage, works);
}
