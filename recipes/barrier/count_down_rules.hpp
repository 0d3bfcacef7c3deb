// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules of a count-down latch: the meaning of its node's data, a count, and the next step of a waiter. Pure.

#include "atomic/atomic_machine.hpp"
#include "atomic/number_bytes.hpp"

#include <docent/error.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>

namespace docent::detail {

/// The counts that are left: 0 or more, also if other clients have written other numbers.
inline std::int64_t left_to_count(std::int64_t counted, std::int64_t count) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    if (counted >= count) return 0;
    return counted < 0 && count > largest + counted ? largest : count - counted;
}

/// The new data after `times` more counts. After the largest number, nothing is counted any more: a wrapped number would close
/// the latch again.
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
/// There is no count yet: wait until the node exists.
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

/// The step after a read of the node with a watch.
inline CountWaitStep after_read(const error_code& ec, const std::string& data, std::int64_t count) {
    if (ec == server_error::no_node) return WatchForNode{};
    error_code failure = ec;
    const std::int64_t counted = failure ? 0 : decode_number(data, failure);
    if (failure) return WaitFails{failure};
    return left_to_count(counted, count) == 0 ? CountWaitStep(ItIsDown{}) : CountWaitStep(AwaitCount{});
}
/// The step after a look, with a watch, whether the node exists.
inline CountWaitStep after_look(const error_code& ec) {
    if (!ec) return ReadAgain{};
    return ec == server_error::no_node ? CountWaitStep(AwaitCount{}) : CountWaitStep(WaitFails{ec});
}

} // namespace docent::detail
