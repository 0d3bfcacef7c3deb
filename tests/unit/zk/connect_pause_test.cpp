// SPDX-License-Identifier: Apache-2.0
#include "zk/connect_pause.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace docent::zk {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds session_timeout = 10s;
constexpr BootClock::time_point opened{1000s};

ConnectPause pause_of(Heartbeats heartbeats, std::uint64_t seed = 1) {
    return {session_timeout, heartbeats, seed};
}

/// Lets a thousand clients pause. Each tenth of the longest pause must have its share of them.
void expect_spread(Heartbeats heartbeats, const std::function<void(ConnectPause&)>& event) {
    const auto longest = longest_connect_pause(session_timeout, heartbeats);
    std::array<int, 10> tenths{};
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        ConnectPause pause = pause_of(heartbeats, seed);
        event(pause);
        const auto left = pause.left(opened);
        ASSERT_GE(left, 0ms);
        ASSERT_LE(left, longest);
        ++tenths.at(static_cast<std::size_t>(left * 10 / (longest + 1ms)));
    }
    for (const int clients : tenths) {
        EXPECT_GE(clients, 50);
        EXPECT_LE(clients, 150);
    }
}

TEST(ConnectPause, IsShortAndLongerWithRelaxedHeartbeats) {
    EXPECT_EQ(longest_connect_pause(9s, Heartbeats::frequent), 150ms);
    EXPECT_EQ(longest_connect_pause(24h, Heartbeats::frequent), 1s);
    EXPECT_EQ(longest_connect_pause(10s, Heartbeats::relaxed), 1s);
    EXPECT_EQ(longest_connect_pause(24h, Heartbeats::relaxed), 4s);
}

TEST(ConnectPause, GrowsToASecondOrToTheLongestOfARelaxedClient) {
    EXPECT_EQ(longest_round_pause(3s, Heartbeats::frequent), 500ms) << "a sixth of the time that a session lives";
    EXPECT_EQ(longest_round_pause(10s, Heartbeats::frequent), 1s);
    EXPECT_EQ(longest_round_pause(10s, Heartbeats::relaxed), 1s);
    EXPECT_EQ(longest_round_pause(24h, Heartbeats::relaxed), 4s);
}

TEST(ConnectPause, OnlyRelaxedClientsPauseAtTheirStart) {
    ConnectPause pause = pause_of(Heartbeats::frequent);
    pause.on_open(opened);
    EXPECT_EQ(pause.left(opened), 0ms);
    expect_spread(Heartbeats::relaxed, [](ConnectPause& each) { each.on_open(opened); });
}

TEST(ConnectPause, ClientsOfALostServerComeBackAtDifferentTimes) {
    for (const Heartbeats heartbeats : {Heartbeats::frequent, Heartbeats::relaxed}) {
        expect_spread(heartbeats, [](ConnectPause& each) {
            each.on_attempt();
            each.on_lost(opened);
        });
    }
}

TEST(ConnectPause, EachRoundOfFailedAttemptsIsFollowedByAnotherPause) {
    expect_spread(Heartbeats::frequent, [](ConnectPause& each) {
        each.on_attempt();
        each.on_lost(opened);
        for (int round = 0; round < 2; ++round) {
            for (int server = 0; server < 3; ++server) each.on_attempt();
            each.on_round_over(opened);
        }
    });
}

/// Lets rounds of attempts fail. Their pauses must double.
void expect_growth(ConnectPause& pause, BootClock::time_point now) {
    for (const milliseconds longest : {166ms, 332ms, 664ms, 1'000ms, 1'000ms, 1'000ms}) {
        pause.on_attempt();
        pause.on_round_over(now);
        EXPECT_GE(pause.left(now), longest / 2);
        EXPECT_LE(pause.left(now), longest);
        now += pause.left(now);
    }
}

TEST(ConnectPause, PausesAfterRoundsGrowBeforeTheFirstSessionAndAfterTheBound) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        ConnectPause pause = pause_of(Heartbeats::frequent, seed);
        expect_growth(pause, opened);
        pause.on_connected(session_timeout);
        pause.on_lost(opened);
        pause.on_attempt();
        for (int round = 0; round < 10; ++round) {
            const auto certain = opened + session_timeout * 7 / 8 - 1ms;
            pause.on_round_over(certain);
            EXPECT_LE(pause.left(certain), session_timeout / 60) << "a lock may be saved";
            pause.on_attempt();
        }
        expect_growth(pause, opened + session_timeout * 7 / 8);
    }
}

TEST(ConnectPause, ARelaxedClientPausesShortlyUntilItsBoundHasPassed) {
    int longer = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        ConnectPause pause = pause_of(Heartbeats::relaxed, seed);
        pause.on_attempt();
        pause.on_lost(opened);
        for (const auto passed : {session_timeout / 10, session_timeout * 19 / 48}) {
            pause.on_attempt();
            pause.on_round_over(opened + passed);
            EXPECT_LE(pause.left(opened + passed), session_timeout / 60 + 1ms);
        }
        pause.on_attempt();
        pause.on_round_over(opened + session_timeout / 2);
        longer += pause.left(opened + session_timeout / 2) > session_timeout / 60 + 1ms ? 1 : 0;
    }
    EXPECT_GT(longer, 50);
}

TEST(ConnectPause, TheGrantedTimeoutCounts) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        ConnectPause pause = pause_of(Heartbeats::relaxed, seed);
        pause.on_attempt();
        pause.on_connected(2s);
        pause.on_lost(opened);
        EXPECT_LE(pause.left(opened), 200ms);
    }
}

TEST(ConnectPause, AClientThatTriesTheNextServerDoesNotPause) {
    ConnectPause pause = pause_of(Heartbeats::frequent);
    pause.on_attempt();
    pause.on_attempt();
    EXPECT_EQ(pause.left(opened), 0ms);
}

TEST(ConnectPause, OnePauseServesForTheLossAndForTheEndOfTheRound) {
    ConnectPause pause = pause_of(Heartbeats::frequent);
    pause.on_attempt();
    pause.on_lost(opened);
    const auto later = opened + pause.left(opened);
    pause.on_round_over(later); // the lost server was the last of the list
    EXPECT_EQ(pause.left(later), 0ms);
    pause.on_round_over(later); // no attempt could begin, so this is another round
    EXPECT_GT(pause.left(later), 0ms);
}

TEST(ConnectPause, AClientThatLeavesASilentServerDoesNotPause) {
    ConnectPause pause = pause_of(Heartbeats::relaxed);
    pause.on_attempt();
    pause.on_left();
    pause.on_lost(opened);
    pause.on_round_over(opened);
    EXPECT_EQ(pause.left(opened), 0ms);
    pause.on_attempt();
    pause.on_round_over(opened);
    EXPECT_GT(pause.left(opened), 0ms) << "the next round is an ordinary one";
}

} // namespace
} // namespace docent::zk
