// SPDX-License-Identifier: Apache-2.0
#include <docent/retry_policy.hpp>

#include <algorithm>

namespace docent {
namespace {

// Curator's limit: with more retries, 2^(n+1) does not fit into a 32-bit number.
constexpr int max_exponential_retries = 29;

/// a × b, at most `limit`. No argument is negative.
std::int64_t multiply_up_to(std::int64_t a, std::int64_t b, std::int64_t limit) {
    return b != 0 && a > limit / b ? limit : std::min(a * b, limit);
}

} // namespace

RetryPolicy RetryPolicy::none() {
    return {Kind::count, 0, milliseconds{0}, milliseconds{0}};
}

RetryPolicy RetryPolicy::n_times(int count, milliseconds pause) {
    return {Kind::count, count, pause, milliseconds{0}};
}

RetryPolicy RetryPolicy::one_time(milliseconds pause) {
    return n_times(1, pause);
}

RetryPolicy RetryPolicy::forever(milliseconds pause) {
    return {Kind::forever, 0, std::max(pause, milliseconds{1}), milliseconds{0}};
}

RetryPolicy RetryPolicy::until_elapsed(milliseconds max_elapsed, milliseconds pause) {
    return {Kind::elapsed, 0, pause, max_elapsed};
}

RetryPolicy RetryPolicy::exponential_backoff(milliseconds base, int max_retries, milliseconds max_pause) {
    return {Kind::exponential, std::min(max_retries, max_exponential_retries), base, max_pause};
}

RetryPolicy RetryPolicy::within_session() const {
    RetryPolicy policy = *this;
    policy.retries_ended_session_ = false;
    return policy;
}

std::optional<std::chrono::milliseconds> RetryPolicy::pause_before(int retry, milliseconds elapsed,
                                                                   std::uint64_t random) const {
    const milliseconds pause = std::max(pause_, milliseconds{0});
    switch (kind_) {
    case Kind::count: return retry < count_ ? std::optional(pause) : std::nullopt;
    case Kind::forever: return pause;
    case Kind::elapsed: return elapsed < max_ && pause < max_ - elapsed ? std::optional(pause) : std::nullopt;
    case Kind::exponential: {
        if (retry >= count_) return std::nullopt;
        const auto range = std::uint64_t{1} << (std::clamp(retry, 0, max_exponential_retries) + 1);
        const auto factor = std::max<std::int64_t>(1, static_cast<std::int64_t>(random % range));
        return milliseconds{multiply_up_to(pause.count(), factor, std::max(max_, milliseconds{0}).count())};
    }
    }
    return std::nullopt;
}

} // namespace docent
