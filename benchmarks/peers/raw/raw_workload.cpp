// SPDX-License-Identifier: Apache-2.0
// The floor: the cost of the C client alone, for a lock that is correct as long as nothing fails.

#include "raw_lock.hpp"

#include "common/figures.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <iostream>
#include <map>
#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

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
    Cycles cycles(options);
    const Sessions sessions = connect_raw(options.text("connect"), 1);
    sessions[0]->make("/floor/free");
    RawLock lock(*sessions[0], "/floor/free");
    const auto acquire = [&] {
        bool granted = false;
        lock.acquire([&] { granted = true; });
        run_raw(sessions, [&] { return granted; });
    };
    const auto release = [&] {
        bool removed = false;
        lock.release([&] { removed = true; });
        run_raw(sessions, [&] { return removed; });
    };
    cycles.measure(acquire, release);
    std::cout << "peer=raw work=free " << cycles << std::endl;
}

/// Clients that take turns.
class Clients {
public:
    Clients(Contest& contest, const Sessions& sessions) : contest_(contest) {
        for (const auto& session : sessions) locks_.push_back(std::make_unique<RawLock>(*session, "/floor/contended"));
    }
    void run(const Sessions& sessions) {
        contest_.open();
        for (auto& lock : locks_) enter(*lock);
        run_raw(
            sessions, [&] { return is_done(); }, [&] { return milliseconds_to_next(); });
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
        contest_.enter(&lock);
        holder_ = &lock;
        until_ = steady_clock::now() + contest_.hold();
        if (contest_.hold().count() == 0) leave();
    }

    void leave() {
        RawLock& lock = *holder_;
        holder_ = nullptr;
        contest_.leave(&lock);
        lock.release({});
        if (contest_.pause().count() > 0) {
            pausing_.emplace_back(steady_clock::now() + contest_.pause(), &lock);
            return;
        }
        go_on(lock);
    }

    void go_on(RawLock& lock) { contest_.is_over() ? static_cast<void>(++left_) : enter(lock); }

    Contest& contest_;
    std::deque<std::pair<steady_clock::time_point, RawLock*>> pausing_; // until this time
    std::vector<std::unique_ptr<RawLock>> locks_;
    RawLock* holder_ = nullptr;
    steady_clock::time_point until_ = {};
    std::size_t left_ = 0;
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
    Contest contest(options);
    Clients clients(contest, sessions);
    clients.run(sessions);
    std::cout << "peer=raw work=contended clients=" << sessions.size() << " " << contest << std::endl;
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

/// The turn of one thread.
class alignas(64) Turn {
public:
    void await() {
        while (is_mine_.exchange(0) == 0) futex(FUTEX_WAIT_PRIVATE, 0);
    }
    void give() {
        is_mine_ = 1;
        futex(FUTEX_WAKE_PRIVATE, 1);
    }

private:
    void futex(int operation, int value) { ::syscall(SYS_futex, &is_mine_, operation, value, nullptr, nullptr, 0); }

    std::atomic<std::uint32_t> is_mine_ = 0;
};

/// Threads that sleep in a ring, and wake each other: one system call to wake the next thread, and one to sleep. This is the
/// cost of a turn that goes from thread to thread on this machine, without the cost of a lock.
void run_turns(const Options& options) {
    const auto threads = static_cast<std::size_t>(options.number("threads"));
    if (threads == 0) throw std::invalid_argument("--threads needs at least one thread");
    const Window window(options);
    std::vector<Turn> turns(threads);
    std::int64_t count = 0; // only used by the thread that has the turn
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < threads; ++i) {
        all.emplace_back([&, i] {
            for (bool is_over = false; !is_over;) {
                turns[i].await();
                if (window.is_open()) ++count;
                is_over = window.is_over();
                turns[(i + 1) % threads].give();
            }
        });
    }
    turns.front().give();
    all.clear(); // joined
    std::cout << "peer=raw work=turns threads=" << threads << " per_s=" << window.per_second(count) << std::endl;
}

} // namespace

int main(int argc, char** argv) {
    const std::map<std::string, void (*)(const Options&)> works = {{"free", run_free}, {"contended", run_contended},
                                                                   {"many", run_many}, {"transaction", run_transaction},
                                                                   {"rtt", run_rtt},   {"turns", run_turns}};
    return run_work(argc, argv, "raw_workload", usage, works);
}
