// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// Durations of one kind, and their values at a fraction of the sorted list, in whole microseconds.
class Durations {
public:
    void add(std::chrono::nanoseconds duration) { values_.push_back(duration); }
    /// Returns the value at `fraction` of the sorted list, computed as the peers' programs do; 0 if there is none.
    std::int64_t at(double fraction) const;
    /// ` NAME_p50_us=… NAME_p99_us=…`
    std::string figures(const std::string& name) const;

private:
    mutable std::vector<std::chrono::nanoseconds> values_;
};

/// Cycles of a free lock: `--n` after `--warmup`, which also creates the parent.
class Cycles {
public:
    explicit Cycles(const Options& options) : n_(options.number("n")), warmup_(options.number("warmup", 10)) {}

    int n() const { return n_; }
    int warmup() const { return warmup_; }
    /// Measures `acquire()` and `release()`, again and again.
    void measure(const auto& acquire, const auto& release) {
        for (int i = -warmup_; i < n_; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            acquire();
            const auto acquired = std::chrono::steady_clock::now();
            release();
            add(i, begin, acquired);
        }
    }
    /// Adds the cycle `i`, counted from `-warmup()`, which ends now.
    void add(int i, std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point acquired);
    /// `n=… warmup=…`, and the times of acquires and releases
    friend std::ostream& operator<<(std::ostream& out, const Cycles& cycles);

private:
    int n_;
    int warmup_;
    Durations acquires_;
    Durations releases_;
};

/// The time when turns count: after `--warmup-ms`, for `--ms`. Earlier turns are warm-up.
class Window {
public:
    explicit Window(const Options& options);

    /// Begins the warm-up.
    void open();
    bool is_over() const { return std::chrono::steady_clock::now() >= end_; }
    bool is_open() const;
    /// Returns `count` divided by the length of the window, in seconds.
    double per_second(std::int64_t count) const;

private:
    std::chrono::milliseconds warmup_;
    std::chrono::milliseconds length_;
    std::chrono::steady_clock::time_point begin_ = {};
    std::chrono::steady_clock::time_point end_ = {};
};

/// Counts cycles until the window closes. Prints the cycles per second, and the processor time of this process for each cycle,
/// in user code and in the kernel. Use it from one thread.
class Tally {
public:
    explicit Tally(const Options& options);

    /// Begins the warm-up.
    void open();
    bool is_over() const { return window_.is_over(); }
    /// Counts a cycle.
    void add();
    /// `per_s=… processor_us=…`
    friend std::ostream& operator<<(std::ostream& out, const Tally& tally);

private:
    Window window_;
    std::chrono::microseconds processor_time_before_;
    std::int64_t done_in_window_ = 0;
    std::int64_t done_ = 0;
};

/// The turns of clients that compete for one lock. All members but open() may be called from any thread, in case the lock does
/// not exclude.
class Contest {
public:
    explicit Contest(const Options& options);

    /// Begins the warm-up.
    void open() { window_.open(); }
    bool is_over() const { return window_.is_over(); }
    /// How long a client holds the lock, and how long it pauses after that: `--hold-us` and `--pause-us`.
    std::chrono::microseconds hold() const { return hold_; }
    std::chrono::microseconds pause() const { return pause_; }

    /// The client has been granted its turn.
    void enter(const void* client);
    /// The client releases the lock next.
    void leave(const void* client);
    /// All turns, also those of the warm-up.
    std::int64_t all_turns() const { return all_turns_; }
    /// `hold_us=… per_s=…`, the times of hand-offs, overlaps, all turns, and the share of turns of the client with the turn
    /// before
    friend std::ostream& operator<<(std::ostream& out, const Contest& contest);

private:
    Window window_;
    std::chrono::microseconds hold_;
    std::chrono::microseconds pause_;

    std::mutex mutex_;
    Durations handoffs_;
    std::optional<std::chrono::steady_clock::time_point> released_; // time of the last release
    const void* last_ = nullptr;                                    // the client with that turn
    std::int64_t turns_ = 0;                                        // in the window
    std::int64_t all_turns_ = 0;
    std::int64_t again_ = 0; // turns of the client that also had the turn before
    int inside_ = 0;
    int overlaps_ = 0;
};
