// SPDX-License-Identifier: Apache-2.0
#include <docent/retry_policy.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace docent {
namespace {

using namespace std::chrono_literals;
using milliseconds = std::chrono::milliseconds;

TEST(RetryPolicy, NTimesPausesEquallyBeforeEachRetry) {
    const RetryPolicy policy = RetryPolicy::n_times(3, 20ms);
    for (int n = 0; n <= 40; ++n) EXPECT_EQ(policy.pause_before(n, 1h, 7), n < 3 ? std::optional(20ms) : std::nullopt) << n;
}

TEST(RetryPolicy, OneTimeAndNone) {
    EXPECT_EQ(RetryPolicy::one_time(5ms).pause_before(0, 0ms, 0), 5ms);
    EXPECT_EQ(RetryPolicy::one_time(5ms).pause_before(1, 0ms, 0), std::nullopt);
    EXPECT_EQ(RetryPolicy::none().pause_before(0, 0ms, 0), std::nullopt);
}

TEST(RetryPolicy, ForeverNeverSpins) {
    EXPECT_EQ(RetryPolicy::forever(7ms).pause_before(1'000'000, 1h, 0), 7ms);
    EXPECT_GT(RetryPolicy::forever(0ms).pause_before(0, 0ms, 0), 0ms);
}

TEST(RetryPolicy, UntilElapsedCountsThePauseItself) {
    const RetryPolicy policy = RetryPolicy::until_elapsed(100ms, 30ms);
    EXPECT_EQ(policy.pause_before(0, 0ms, 0), 30ms);
    EXPECT_EQ(policy.pause_before(9, 69ms, 0), 30ms);
    EXPECT_EQ(policy.pause_before(0, 70ms, 0), std::nullopt); // it would end at 100 ms
    EXPECT_EQ(policy.pause_before(0, 5000ms, 0), std::nullopt);
}

/// Curator: min(max, base × max(1, random.nextInt(1 << (count + 1)))), allowed while count < min(retries, 29).
TEST(RetryPolicy, ExponentialBackoffIsCuratorsFormula) {
    for (const milliseconds limit : {milliseconds::max(), milliseconds{2'147'483'647}, milliseconds{8'000}}) {
        const RetryPolicy policy = RetryPolicy::exponential_backoff(100ms, 40, limit);
        for (int n = 0; n <= 40; ++n) {
            for (const std::uint64_t random : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{12'345'678'901'234'567},
                                               std::numeric_limits<std::uint64_t>::max()}) {
                const auto pause = policy.pause_before(n, 0ms, random);
                if (n >= 29) {
                    EXPECT_EQ(pause, std::nullopt) << n;
                    continue;
                }
                const auto drawn = static_cast<std::int64_t>(random % (std::uint64_t{1} << (n + 1)));
                const std::int64_t expected = std::min<std::int64_t>(limit.count(), 100 * std::max<std::int64_t>(1, drawn));
                ASSERT_TRUE(pause) << n;
                EXPECT_EQ(pause->count(), expected) << n << ' ' << random;
            }
        }
    }
}

TEST(RetryPolicy, ExponentialBackoffDoesNotOverflow) {
    const RetryPolicy policy = RetryPolicy::exponential_backoff(milliseconds::max(), 29);
    EXPECT_EQ(policy.pause_before(28, 0ms, std::numeric_limits<std::uint64_t>::max()), milliseconds::max());
    EXPECT_EQ(RetryPolicy::exponential_backoff(10ms, 2).pause_before(2, 0ms, 0), std::nullopt);
}

} // namespace
} // namespace docent
