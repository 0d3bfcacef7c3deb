// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "peer.hpp"
#include "session_watcher.hpp"

#include <docent/recipes/lease.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <utility>

namespace docent::test {

/// One thread of a peer at a lock.
class PeerLock {
public:
    /// `words`: which lock; `at_once`: the word by which it does not wait.
    PeerLock(Peer& peer, std::string thread, Words words, std::string at_once)
        : peer_(peer), thread_(std::move(thread)), words_(std::move(words)), at_once_(std::move(at_once)) {}

    /// Lets it wait for the lock; nothing else for this thread until it has it.
    void begin_acquire() { peer_.send(thread_, "acquire", words_); }
    bool waits() { return !peer_.has_answered(thread_); }
    /// Waits for what begin_acquire() has begun.
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

inline bool waits(const std::future<Lease>& lease) {
    return lease.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
}

/// Unlike get(), comes back when the lock does not.
inline Lease granted(std::future<Lease>& lease) {
    if (lease.wait_for(generous) == std::future_status::ready) return lease.get();
    ADD_FAILURE() << "not granted";
    return {};
}

} // namespace docent::test
