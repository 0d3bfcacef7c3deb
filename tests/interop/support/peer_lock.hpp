// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clients.hpp"
#include "peer.hpp"

#include <docent/recipes/lease.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace docent::test {

/// A thread of a peer that uses a lock.
class PeerLock {
public:
    /// `words` name the lock; `at_once` is the word for a try that does not wait.
    PeerLock(Peer& peer, std::string thread, Words words, std::string at_once)
        : peer_(peer), thread_(std::move(thread)), words_(std::move(words)), at_once_(std::move(at_once)) {}

    /// Starts an acquire. The thread takes no other command until it has the lock.
    void begin_acquire() { peer_.send(thread_, "acquire", words_); }
    bool waits() { return !peer_.has_answered(thread_); }
    /// Waits for the acquire of begin_acquire().
    bool get() { return peer_.await(thread_)["acquired"] == "true"; }

    bool acquire() {
        begin_acquire();
        return get();
    }
    bool try_acquire() {
        Words words = words_;
        words.push_back(at_once_);
        peer_.send(thread_, "acquire", words);
        return get();
    }
    void release() { EXPECT_EQ(ask("release").error, ""); }

protected:
    PeerAnswer ask(const std::string& verb) {
        peer_.send(thread_, verb, words_);
        return peer_.await(thread_);
    }

private:
    Peer& peer_;
    std::string thread_;
    Words words_;
    std::string at_once_;
};

template <typename T> bool waits(const std::future<T>& result) {
    return result.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
}

/// Returns what was acquired. Unlike get(), fails if it is not granted in time.
template <typename T> T granted(std::future<T>& acquired) {
    if (acquired.wait_for(generous) == std::future_status::ready) return acquired.get();
    ADD_FAILURE() << "not granted";
    return T();
}

/// Three threads of a peer (`make`) and three acquires of docent (`acquire`) come by turns while a hold keeps them out.
/// `wait_for(n)` waits until there are n of them. When `release_hold()` has ended the hold, each is admitted in the order of
/// arrival, and alone; `get(thread, left)` waits for a thread's turn, with so many contenders left.
template <typename Make, typename Acquire, typename WaitFor, typename ReleaseHold, typename Get>
void expect_strict_order(Make make, Acquire acquire, WaitFor wait_for, ReleaseHold release_hold, Get get) {
    constexpr std::size_t pairs = 3;
    std::vector<decltype(make(std::string()))> theirs;
    std::vector<std::future<Lease>> ours;
    for (std::size_t i = 0; i < pairs; ++i) {
        theirs.push_back(make("t" + std::to_string(i)));
        theirs.back().begin_acquire();
        ASSERT_TRUE(wait_for(2 * i + 1));
        ours.push_back(acquire());
        ASSERT_TRUE(wait_for(2 * i + 2));
    }
    const auto expect_all_wait = [&](std::size_t their, std::size_t our) {
        for (; their < pairs; ++their) EXPECT_TRUE(theirs[their].waits()) << their;
        for (; our < pairs; ++our) EXPECT_TRUE(waits(ours[our])) << our;
    };
    expect_all_wait(0, 0);
    release_hold();
    for (std::size_t i = 0; i < pairs; ++i) {
        ASSERT_TRUE(get(theirs[i], 2 * (pairs - i)));
        expect_all_wait(i + 1, i);
        theirs[i].release();
        Lease lease = granted(ours[i]);
        expect_all_wait(i + 1, i + 1);
        lease.release();
    }
}

} // namespace docent::test
