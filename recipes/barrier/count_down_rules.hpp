// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a count-down latch's node says, what counting makes of it, and what whoever waits does next. Pure.

#include "atomic/atomic_machine.hpp"
#include "atomic/number_bytes.hpp"

#include <docent/error.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>

namespace docent::detail {

/// How often it is still to be counted down, if it was so often: 0 or more, whatever others have written.
inline std::int64_t left_to_count(std::int64_t counted, std::int64_t count) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    if (counted >= count) return 0;
    return counted < 0 && count > largest + counted ? largest : count - counted;
}

/// What the node is to hold when somebody has counted `times` more. Beyond the largest number nothing is counted any more: it
/// would close the latch again.
inline NewData count_on(const std::optional<std::string>& before, std::int64_t times) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    NewData wish;
    const std::int64_t counted = decode_number(before, wish.ec);
    if (times < 1) wish.ec = server_error::bad_arguments;
    if (!wish.ec) wish.data = encode_number(counted > largest - times ? largest : counted + times);
    return wish;
}

struct ItIsDown {
    friend bool operator==(const ItIsDown&, const ItIsDown&) = default;
};
/// Nobody has counted: be told when somebody does.
struct WatchForNode {
    friend bool operator==(const WatchForNode&, const WatchForNode&) = default;
};
struct ReadAgain {
    friend bool operator==(const ReadAgain&, const ReadAgain&) = default;
};
struct AwaitCount {
    friend bool operator==(const AwaitCount&, const AwaitCount&) = default;
};
struct WaitFails {
    error_code ec;
    friend bool operator==(const WaitFails&, const WaitFails&) = default;
};
using CountWaitStep = std::variant<ItIsDown, WatchForNode, ReadAgain, AwaitCount, WaitFails>;

/// Behind an answered read of the node, with a watch.
inline CountWaitStep after_read(const error_code& ec, const std::string& data, std::int64_t count) {
    if (ec == server_error::no_node) return WatchForNode{};
    error_code failure = ec;
    const std::int64_t counted = failure ? 0 : decode_number(data, failure);
    if (failure) return WaitFails{failure};
    return left_to_count(counted, count) == 0 ? CountWaitStep(ItIsDown{}) : CountWaitStep(AwaitCount{});
}
/// Behind an answered look whether it is there, with a watch.
inline CountWaitStep after_look(const error_code& ec) {
    if (!ec) return ReadAgain{};
    return ec == server_error::no_node ? CountWaitStep(AwaitCount{}) : CountWaitStep(WaitFails{ec});
}

} // namespace docent::detail
