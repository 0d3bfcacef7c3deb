// SPDX-License-Identifier: Apache-2.0

// Many clients increment a counter while a tenth of all replies is lost. DOCENT_ATOMIC_INCREMENTS sets the number of increments
// of each.

#include "proxied_test.hpp"
#include "seeds.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::testing::Opcode;

class AtomicCountTest : public ProxiedTest {
protected:
    static constexpr int counters = 8;
    static constexpr std::array kinds{Opcode::multi, Opcode::get, Opcode::set, Opcode::create2};

    /// Loses the reply of every tenth request of each kind, and the connection with it.
    void lose_a_tenth_of_the_replies() {
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            proxy.on_forwarded(kinds[kind], [this, kind] {
                if (++forwarded[kind] % 10 == 9) proxy.cut_before_reply(kinds[kind]);
            });
        }
    }
    void count(int times) {
        Client own{{.connect_string = proxy.connect_string(),
                    .connection_timeout = generous,
                    .retry_policy = RetryPolicy::forever(5ms),
                    .ensemble_tracking = EnsembleTracking::off}};
        own.start();
        DistributedAtomicLong number(own, "/count", {.retry = RetryPolicy::forever(1ms)});
        for (int n = 0; n < times; ++n) {
            const AtomicNumber result = number.increment();
            const std::lock_guard lock(mutex);
            EXPECT_TRUE(result.succeeded);
            EXPECT_EQ(result.after, result.before + 1);
            EXPECT_TRUE(reached.insert(result.after).second) << result.after << " was reached twice";
            recovered += result.stats.recovered ? 1 : 0;
            tries += result.stats.optimistic_tries;
        }
    }

    std::array<std::atomic<int>, kinds.size()> forwarded{};
    std::mutex mutex;
    std::set<std::int64_t> reached;
    int recovered = 0;
    int tries = 0;
};

TEST_F(AtomicCountTest, EachOfEightCountsOnceThoughATenthOfTheRepliesIsLost) {
    const int times = static_cast<int>(seeds_from("DOCENT_ATOMIC_INCREMENTS", repetitions(50)));
    lose_a_tenth_of_the_replies();
    std::vector<std::thread> all;
    for (int n = 0; n < counters; ++n) all.emplace_back([this, times] { count(times); });
    for (auto& one : all) one.join();
    proxy.heal();

    DistributedAtomicLong number(other, "/count");
    EXPECT_EQ(number.get().after, counters * times);
    EXPECT_EQ(reached.size(), static_cast<std::size_t>(counters * times));
    EXPECT_GT(recovered, times / 20) << "or it would prove nothing";
    std::cout << "counted to " << number.get().after << " in " << tries << " tries, of which " << recovered
              << " were found out about; " << forwarded[0] << " writes, " << proxy.connections() << " connections\n";
}

} // namespace
} // namespace docent
